"""curl, wget, ssh and the like: what is fetched from where, what is sent, where the result is written."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from core.guard.programs import Handler, evaluate, write_named
from core.guard.scope import Scope
from core.guard.verdict import listed
from core.guard.words import HOLE, Call, Options, Word, split_options

_LOCAL = re.compile(r"^(localhost|[\w-]+\.localhost|127(\.\d+){1,3}|0\.0\.0\.0|\[?::1\]?|host\.docker\.internal)$", re.I)
_CURL_DATA = (
    "-d",
    "--data",
    "--data-raw",
    "--data-binary",
    "--data-urlencode",
    "--data-ascii",
    "--json",
    "-F",
    "--form",
    "-T",
    "--upload-file",
    "--form-string",
    "--url-query",
)
_HTTPIE_METHODS = ("GET", "HEAD", "OPTIONS")


def host_of(url: str) -> str:
    """The host that a URL, or host:port/path as curl accepts it, names."""
    text = url if "://" in url else "http://" + url
    try:
        return urlsplit(text).hostname or ""
    except ValueError:
        return HOLE


def is_local(url: str) -> bool:
    """Whether a URL names this machine for certain."""
    host = host_of(url)
    head = url.split("://")[-1].split("/")[0]
    return bool(_LOCAL.match(host)) and HOLE not in head and "@" not in head and not url.lower().startswith(("file:", "dict:", "gopher:"))


def _visit(url: Word, call: Call, scope: Scope, *, data: bool, method: str) -> None:
    """One URL is requested."""
    text = url.text
    if text.lower().startswith("file:"):
        scope.read(call, Word(re.sub(r"^file:(//)?", "", text, flags=re.I)))
        return
    if not text.startswith("-"):
        scope.report.sends = scope.report.sends or not is_local(text)
    if is_local(text):
        scope.add(
            "database.change"
            if method in ("DELETE", "PURGE") or re.search(r"_delete_by_query|/shutdown\b|/containers/|/exec\b", text)
            else "network.local",
            call,
            text,
        )
    elif data or not url.static or re.search(r"[?&#]\S*=[^&\s]{24,}", text):
        scope.add("network.upload", call, text)
    else:
        scope.add("network.remote", call, text)


def curl(name: str, call: Call, scope: Scope) -> None:
    """curl: each operand and --url is a URL."""
    options = split_options(call.arguments, listed("curl"))
    urls = options.operands + options.get("--url")
    if not urls and not options.has("-K", "--config"):
        if options.has("-V", "--version", "-h", "--help", "-M", "--manual"):
            return
        scope.add("network.remote", call, name)
    data = options.get(*_CURL_DATA)
    remote = any(not is_local(url.text) for url in urls)
    for word in data:
        _sent_file(word, options, call, scope, remote)
    method = next((word.text.upper() for word in options.get("-X", "--request")), "")
    sends = (
        bool(data)
        or options.has("-u", "--user", "-b", "--cookie", "-E", "--cert", "-n", "--netrc", "--oauth2-bearer")
        or method not in ("", "GET", "HEAD", "OPTIONS")
        or any(not word.static for word in options.get("-H", "--header", "-A", "-e"))
    )
    for url in urls:
        _visit(url, call, scope, data=sends, method=method)
    for flag in (
        "-K",
        "--config",
        "--unix-socket",
        "--abstract-unix-socket",
        "-x",
        "--proxy",
        "--resolve",
        "--connect-to",
        "--preproxy",
        "--socks5",
        "--engine",
    ):
        if options.has(flag):
            scope.add("network.session", call, flag)
    _outputs(
        options,
        call,
        scope,
        remote,
        ("-o", "--output", "-D", "--dump-header", "-c", "--cookie-jar", "--trace", "--trace-ascii", "--stderr", "--output-dir"),
    )
    if options.has("-O", "--remote-name", "-J", "--remote-name-all") and not options.has("--output-dir"):
        for url in urls:
            _fetched(Word(url.text.rstrip("/").rpartition("/")[2].partition("?")[0] or "index.html", url.static), call, scope, remote)


def _sent_file(word: Word, options: Options, call: Call, scope: Scope, remote: bool) -> None:
    """A value of -d, -F or -T that names a file."""
    upload = any(word is value for value in options.get("-T", "--upload-file"))
    match = re.search(r"(?:^|=|^[\w.]+)[@<]([^;]+)", word.text)
    path = (
        word.text
        if upload
        else match[1]
        if match and (word.text[0] in "@<" or "=@" in word.text or "=<" in word.text or "@" in word.text.split("=")[0])
        else ""
    )
    if path and path != "-":
        scope.read(call, Word(path, word.static))
        if remote:
            scope.add("network.upload", call, path)


def _outputs(options: Options, call: Call, scope: Scope, remote: bool, names: tuple[str, ...]) -> None:
    for word in options.get(*names):
        if word.text != "-":
            _fetched(word, call, scope, remote)


def _fetched(word: Word, call: Call, scope: Scope, remote: bool) -> None:
    """A file that came over the network: running it later in the same line is running remote code."""
    write_named(call, word, scope)
    for place in scope.places(word):
        scope.report.downloads.add(place.path)


def wget(name: str, call: Call, scope: Scope) -> None:
    """wget: operands are URLs, results are files."""
    options = split_options(call.arguments, listed("wget"))
    if not options.operands and not options.has("-i", "--input-file"):
        return
    for word in options.get("--post-file", "--body-file"):
        scope.read(call, word)
    method = next((word.text.upper() for word in options.get("--method")), "")
    data = options.has("--post-data", "--post-file", "--body-file", "--body-data", "--user", "--password", "--load-cookies") or method not in (
        "",
        "GET",
        "HEAD",
    )
    if options.has("-e", "--execute", "--use-askpass"):
        scope.add("exec.library", call, name)
    if options.has("-i", "--input-file"):
        scope.add("network.remote", call, name)
    remote = any(not is_local(url.text) for url in options.operands)
    for url in options.operands:
        _visit(url, call, scope, data=data, method=method)
    _outputs(
        options,
        call,
        scope,
        remote,
        ("-O", "--output-document", "-o", "--output-file", "-P", "--directory-prefix", "-a", "--append-output", "--save-cookies"),
    )
    if not options.has("-O", "--output-document", "--spider"):
        for url in options.operands:
            _fetched(Word(url.text.rstrip("/").rpartition("/")[2].partition("?")[0] or "index.html", url.static), call, scope, remote)


def httpie(name: str, call: Call, scope: Scope) -> None:
    """http, https, xh: [METHOD] URL [ITEM…]"""
    words = split_options(call.arguments, frozenset(("-o", "--output", "-a", "--auth", "--session", "-d"))).operands
    method = words[0].text if words and re.fullmatch(r"[A-Z]+", words[0].text) else ""
    urls = words[1:] if method else words
    for word in urls[:1]:
        text = "localhost" + word.text if word.text.startswith(":") else word.text
        _visit(Word(text, word.static), call, scope, data=len(urls) > 1 or method not in ("", *_HTTPIE_METHODS), method=method)
    for word in urls[1:]:
        if "@" in word.text:
            scope.read(call, Word(word.text.rpartition("@")[2], word.static))


def remote_shell(name: str, call: Call, scope: Scope) -> None:
    """ssh HOST COMMAND: the session asks; the command is judged too."""
    options = split_options(
        call.arguments,
        frozenset(["-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-p", "-Q", "-R", "-S", "-W", "-w"]),
        stop_at_operand=True,
    )
    if options.has("-V", "-Q", "-G"):
        return
    scope.add("network.session", call, options.operands[0].text if options.operands else name)
    if len(options.operands) > 1:
        evaluate(call.inner(tuple(options.operands[1:])), scope)


def copy_remote(name: str, call: Call, scope: Scope) -> None:
    """scp, sftp: operands with a colon are elsewhere."""
    scope.add("network.upload", call, name)
    for word in split_options(call.arguments, frozenset(["-i", "-P", "-o", "-F", "-l", "-c", "-S", "-J"])).operands:
        if ":" not in word.text:
            scope.read(call, word)


def netcat(name: str, call: Call, scope: Scope) -> None:
    """nc: probing a local port is fine, sessions ask."""
    options = split_options(call.arguments, frozenset(["-w", "-p", "-s", "-X", "-x", "-i", "-q", "-e", "-c", "-G"]))
    host = options.operands[0].text if options.operands else ""
    if options.has("-z") and _LOCAL.match(host) and not options.has("-e", "-c", "-l"):
        scope.add("network.local", call, host)
    else:
        scope.add("network.session", call, host or name)


def ping(name: str, call: Call, scope: Scope) -> None:
    """ping: this machine, or a question."""
    words = [word for word in call.arguments if not word.option and not word.text.isdigit()]
    for word in words:
        scope.add("network.local" if word.static and is_local(word.text) else "network.dns", call, word.text)


def lookup(name: str, call: Call, scope: Scope) -> None:
    """dig, host, nslookup: a question about this machine stays here, any other leaves it."""
    for word in call.arguments:
        if word.text[:1] not in ("-", "+", "/") or not word.static:
            scope.add("network.local" if word.static and is_local(word.text) else "network.dns", call, word.text)


HANDLERS: dict[str, Handler] = {
    "curl": curl,
    "wget": wget,
    "wget2": wget,
    "http": httpie,
    "https": httpie,
    "xh": httpie,
    "ssh": remote_shell,
    "slogin": remote_shell,
    "plink": remote_shell,
    "scp": copy_remote,
    "pscp": copy_remote,
    "nc": netcat,
    "ping": ping,
    "ping6": ping,
    "fping": ping,
    **dict.fromkeys(("dig", "host", "nslookup", "drill", "kdig", "dog"), lookup),
}
