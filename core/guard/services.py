"""Containers, clouds and databases: what changes something there asks."""

from __future__ import annotations

import re

from core.guard.programs import Handler, by_table, evaluate, operands_after, spec_of, subcommand
from core.guard.scope import Scope
from core.guard.verdict import listed
from core.guard.words import HOLE, Call, Word, split_options
from core.guard.wrappers import small_file

_READ_SQL = re.compile(
    r"^(select|show|describe|desc|explain|with|values|table|pragma|use|set\s+(search_path|statement_timeout|names|timezone|@)|begin|start\s+transaction|rollback|analyze|help|status|list|print)\b",
    re.I,
)
_LOCAL_SQL = re.compile(
    r"^(insert|create\s+(temp\w*\s+)?(table|index|unique\s+index|view)|alter\s+table\s+\S+\s+add|vacuum|reindex|commit|end|begin|savepoint|release|attach)\b",
    re.I,
)
_SQL_RISK = re.compile(
    r"\b(delete|drop|truncate|update|alter|grant|revoke|insert|replace|merge|create|copy|call|do|load_file|into\s+(out|dump)file|pg_read_file|pg_ls_dir|lo_export|lo_import|dblink|xp_cmdshell|load_extension|writefile|readfile|"
    r"pg_terminate_backend|pg_cancel_backend|pg_reload_conf|setval|exec|execute|shutdown|kill|rename|lock|unlock|reset|purge|flush|optimize|rename)\b",
    re.I,
)
_DOT_SAFE = re.compile(
    r"^\.(tables|schema|indexes|indices|databases|headers?|mode|width|show|help|quit|exit|timer|stats|dump|fullschema|nullvalue|separator|explain|echo|changes|bail|lint|sha3sum|eqp|print|version)\b",
    re.I,
)
_BACKSLASH_SAFE = re.compile(r"^\\(d\w*\+?|l\+?|c|conninfo|timing|x|q|h|\?|pset|echo|encoding|sf\+?|sv\+?|z|a|t|du|dt|dn)(\s|$)")
_MONGO_RISK = re.compile(
    r"(delete|remove|drop|update|insert|replace|rename|bulkWrite|createUser|grant|revoke|shutdown|eval\(|load\(|runCommand|adminCommand|save\(|findAndModify|findOneAnd|\$out|\$merge|process|require|fs\.|child_process|createIndex|createCollection)",
    re.I,
)


def risky_sql(text: str, local: bool = False) -> bool:
    """Whether any statement may change data; `local`: a file of the workspace, where adding is fine."""
    bare = re.sub(r"--[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    bare = re.sub(r"'(?:[^']|'')*'", "''", bare)
    for statement in bare.split(";"):
        statement = statement.strip()
        if not statement:
            continue
        for line in statement.split("\n") if statement[:1] in ".\\" else []:
            if not (_DOT_SAFE.match(line.strip()) or _BACKSLASH_SAFE.match(line.strip())):
                return True
        if statement[:1] in ".\\":
            if "|" in statement:
                return True
            continue
        if local and _LOCAL_SQL.match(statement) and not re.search(r"\b(load_extension|writefile|drop|delete|update)\b", statement, re.I):
            continue
        if not _READ_SQL.match(statement) or re.match(r"pragma\s+\w+\s*=", statement, re.I):
            return True
        if _SQL_RISK.search(re.sub(r'"[^"]*"|`[^`]*`', " ", statement)):
            return True
    return False


def _sql_texts(words: list[Word], call: Call, scope: Scope, local: bool) -> None:
    for word in words:
        if not word.static or HOLE in word.text:
            scope.add("dynamic.script", call, word.text)
        elif risky_sql(word.text, local):
            scope.add("database.change", call, word.text)


def _sql_stdin(call: Call, scope: Scope, local: bool) -> None:
    stdin = call.stdin
    if stdin is None:
        return
    if stdin.text is not None:
        _sql_texts([Word(stdin.text)], call, scope, local)
    else:
        scope.add("database.change", call, stdin.path.text if stdin.path else call.name)


def sql_client(name: str, call: Call, scope: Scope) -> None:
    """psql, mysql and the like."""
    valued = {
        "psql": "-c -f -d -U -h -p -o -v -L --command --file --dbname --username --host --port --output --set --variable -F -P -R -T",
        "mysql": "-e -u -h -P -D -S --execute --user --host --port --database --socket --init-command --default-character-set",
    }
    options = split_options(call.arguments, frozenset(valued.get(name, valued["mysql"] + " -q -Q -c -f --query --command").split()))
    if options.has("-l", "--list", "--version", "-V", "--help"):
        return
    texts = options.get("-c", "--command", "-e", "--execute", "-q", "-Q", "--query", "--init-command")
    _sql_texts(texts, call, scope, local=False)
    for word in options.get("-f", "--file") + (options.get("-i") if name in ("sqlcmd", "isql") else []):
        text = next((small_file(place.path) for place in scope.places(word) if place.zone == "workspace"), None) if word.static else None
        if text is None or risky_sql(text):
            scope.add("database.change", call, word.text)
    for word in options.get("-o", "--output", "-L"):
        scope.write(call, word)
    if any(word.text.startswith("@") for word in options.operands):
        scope.add("database.change", call, name)
    if not texts and not options.has("-f", "--file"):
        _sql_stdin(call, scope, local=False)


def sqlite(name: str, call: Call, scope: Scope) -> None:
    """sqlite3 and duckdb FILE [SQL…]: a database file of the workspace."""
    options = split_options(call.arguments, frozenset(("-cmd", "-init", "-separator", "-newline", "-nullvalue", "-c")), single_dash_long=True)
    database = options.operands[:1]
    for word in database:
        if word.text != ":memory:":
            scope.read(call, word)
    local = all(word.text == ":memory:" or scope.zones(word) <= {"workspace", "temp"} for word in database)
    texts = options.operands[1:] + options.get("-cmd", "-c")
    if options.has("-init"):
        scope.add("database.change", call, "-init")
    _sql_texts(texts, call, scope, local)
    if not texts:
        _sql_stdin(call, scope, local)


def mongo(name: str, call: Call, scope: Scope) -> None:
    """mongosh --eval CODE"""
    options = split_options(
        call.arguments, frozenset(("--eval", "--host", "--port", "-u", "-p", "--file", "-f", "--username", "--password", "--authenticationDatabase"))
    )
    for word in options.get("--eval"):
        if not word.static or _MONGO_RISK.search(word.text):
            scope.add("database.change", call, word.text)
    if options.has("--file", "-f") or any(word.text.endswith((".js", ".mongodb")) for word in options.operands) or call.stdin is not None:
        scope.add("database.change", call, name)


def redis(name: str, call: Call, scope: Scope) -> None:
    """redis-cli COMMAND …"""
    words = split_options(
        call.arguments, frozenset(("-h", "-p", "-a", "-n", "-u", "-s", "-r", "-i", "--user", "--pass", "--eval", "--cacert")), stop_at_operand=True
    )
    if words.has("--eval", "--pipe", "--rdb", "--functions-rdb") or not words.operands and call.stdin is not None:
        scope.add("database.change", call, name)
    elif words.operands:
        first = words.operands[0]
        second = words.operands[1].text.lower() if len(words.operands) > 1 else ""
        risky = (
            first.text.lower() == "client"
            and second not in ("list", "info", "getname", "id")
            or first.text.lower() in ("config", "acl")
            and second not in ("get", "list", "whoami")
        )
        if not first.static or risky or first.text.lower() not in (*listed("redis_safe"), "config", "acl"):
            scope.add("database.change", call, first.text)


def docker(name: str, call: Call, scope: Scope) -> None:
    """docker run and exec are judged by what they mount and start; the rest is in the table."""
    spec = spec_of(name)
    operands = [word.text for word in operands_after(call, spec.get("skip", ""))]
    head = operands[1:2] if operands[:1] in (["compose"], ["container"]) else operands[:1]
    verb = head[0] if head else ""
    compose = operands[:1] == ["compose"] or "compose" in name
    if any(word.text.partition("=")[0] in spec.get("veto", {}) for word in call.arguments[:2]) or verb not in (
        "run",
        "exec",
        "create",
        "up",
        "down",
        "build",
    ):
        by_table(name, call, scope)
        return
    place = next(i for i, word in enumerate(call.arguments) if word.text == verb)
    rest = call.arguments[place + 1 :]
    if verb == "down" and any(word.text in ("-v", "--volumes", "--rmi") or word.text.startswith(("--rmi", "--volumes")) for word in rest):
        scope.add("container.change", call, f"{name} {verb} -v")
    elif verb in ("up", "down", "build"):
        if verb == "build":
            _build_options(rest, call, scope)
        by_table(name, call, scope)
    else:
        _container(verb, rest, compose, call, scope)


def _build_options(rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    options = split_options(
        rest,
        frozenset(
            [
                "-t",
                "-f",
                "--tag",
                "--file",
                "--build-arg",
                "--target",
                "--platform",
                "--cache-from",
                "--cache-to",
                "--output",
                "-o",
                "--secret",
                "--ssh",
                "--label",
                "--network",
                "--progress",
            ]
        ),
    )
    if options.has("--secret", "--ssh", "--allow", "--push"):
        scope.add("publish.package" if options.has("--push") else "secret.read", call, "docker build")
    for word in options.operands:
        if re.match(r"^(https?|git|ssh)[:@]", word.text):
            scope.add("remote.code", call, word.text)
        elif word.text != "-":
            scope.read(call, word)
    for word in options.get("-o", "--output"):
        scope.write(call, Word(word.text.rpartition("dest=")[2], word.static))


def _container(verb: str, rest: tuple[Word, ...], compose: bool, call: Call, scope: Scope) -> None:
    options = split_options(rest, listed("docker") | listed("docker_host"), stop_at_operand=True)
    scope.add("container.local", call, verb)
    shared = [word.text for word in options.get("--pid", "--ipc", "--uts", "--network", "--net", "--userns")]
    if options.has(*listed("docker_host")) or any(value == "host" or value.startswith("container:") for value in shared):
        scope.add("container.host", call, verb)
    for word in options.get("-v", "--volume", "--mount", "--env-file"):
        _mount(word, call, scope)
    if options.get("--entrypoint"):
        scope.add("dynamic.argument", call, "--entrypoint")
    command = options.operands[1:]
    if command and not (command[0].option):
        evaluate(call.inner(tuple(command)), scope)


def _mount(word: Word, call: Call, scope: Scope) -> None:
    match = re.search(r"(?:source|src)=([^,]+)", word.text)
    source = match[1] if match else word.text.split(":")[0]
    if not word.static:
        scope.add("container.host", call, word.text)
    elif re.search(r"^[./~]", source):
        place = Word(source)
        if scope.zones(place) - {"workspace"}:
            scope.add("container.host", call, source)
        scope.read(call, place)


def cloud(name: str, call: Call, scope: Scope) -> None:
    """aws, az: verbs that list, describe and show run; those that hand out secrets or change anything ask."""
    spec = spec_of(name)
    words = [word.text for word in operands_after(call, spec.get("skip", ""))]
    text = " ".join(words[:4])
    quiet = (
        re.match(r"^[\w-]+ (describe|list|head|wait|filter|lookup|search|batch-get|get)(-[\w-]+)?( |$)", text)
        if name == "aws"
        else re.search(r" (list|show|list-\w+)( |$)", text)
    )
    secret = re.search(
        r"secret|password|token|credential|get-parameter|access-key|decrypt|get-object|keyvault|keys list|get-session|authorization", text
    )
    if quiet and not secret and all(word.static for word in call.arguments[:2]):
        return
    subcommand(name, spec, call, scope)
    if words[:2] in (["s3", "cp"], ["s3", "sync"], ["s3", "mv"]):
        scope.add("network.upload", call, text)


def kubectl(name: str, call: Call, scope: Scope) -> None:
    """kubectl: reading runs, secrets and every change ask."""
    words = [word.text for word in operands_after(call, spec_of(name).get("skip", ""))]
    if len(words) > 1 and re.match(r"secrets?\b", words[1].split("/")[0]) or "--raw" in [word.text for word in call.arguments]:
        scope.add("secret.program", call, " ".join(words[:2]))
    dry = any(word.text.startswith("--dry-run") and not word.text.endswith("=none") for word in call.arguments)
    if not (dry and words[:1] in (["apply"], ["create"])):
        subcommand(name, spec_of(name), call, scope)


def crontab(name: str, call: Call, scope: Scope) -> None:
    """crontab -l shows, everything else changes what runs later."""
    if [word.text for word in call.arguments] != ["-l"]:
        scope.add("system.schedule", call, name)


def clock(name: str, call: Call, scope: Scope) -> None:
    """date: showing is +FORMAT or -d, setting is -s or a bare number."""
    options = split_options(call.arguments, frozenset(("-d", "--date", "-r", "--reference", "-f")))
    if options.has("-s", "--set") or any(not word.text.startswith("+") for word in options.operands):
        scope.add("system.settings", call, name)


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(
        ("psql", "mysql", "mariadb", "pgcli", "mycli", "sqlcmd", "isql", "usql", "clickhouse-client", "clickhouse", "cqlsh", "snowsql", "sqlplus"),
        sql_client,
    ),
    **dict.fromkeys(("sqlite3", "sqlite", "duckdb", "litecli"), sqlite),
    "mongosh": mongo,
    "mongo": mongo,
    "redis-cli": redis,
    "valkey-cli": redis,
    **dict.fromkeys(("docker", "podman", "nerdctl", "docker-compose", "podman-compose"), docker),
    "aws": cloud,
    "az": cloud,
    "kubectl": kubectl,
    "k": kubectl,
    "crontab": crontab,
    "date": clock,
}
