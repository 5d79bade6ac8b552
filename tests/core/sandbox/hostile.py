"""What commands try to do, and how to see afterwards whether they could: the table "What stops what" of docs/sandbox.md.

A program of its own, so that the same attempts run as another user: hostile.py TIER BASE [CHECK…] prints one JSON object,
{"tier", "missing", "checks": {name: [stopped, output]}}. BASE is an empty folder that the user may fill.
"""
from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from core.sandbox import Sandbox  # noqa: E402  # after the path to it

REPOSITORY = "[core]\n\trepositoryformatversion = 0\n"
KEY = "sk-test-4815162342"


@dataclass(frozen=True)
class Attempt:
    """A bash script with {places}; `got_through` looks at the scene and the output afterwards."""

    script: str
    got_through: Callable[[Scene, str], bool]


class Scene:
    """A workspace, and around it everything that a command must not reach."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.workspace = base / "work"
        self.outside = base / "outside"
        self.skills = base / "skills"
        self.home = base / "home"
        self.received: list[str] = []
        for folder in (self.workspace, base / "work-2", self.outside / "deep", self.skills, self.home / ".ssh"):
            folder.mkdir(parents=True)
        (self.home / ".ssh" / "id_rsa").write_text("PRIVATE KEY", encoding="utf-8")
        (self.workspace / ".env").write_text("API=PRIVATE", encoding="utf-8")
        (self.workspace / "found").symlink_to(self.outside)
        self.restore()
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.unix = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.unix.bind(str(base / "engine.sock"))
        self.unix.listen(4)
        self.abstract = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.abstract.bind(f"\0sandbox-test-{os.getpid()}")
        self.abstract.listen(4)
        for name in ("tcp", "udp", "unix", "abstract"):
            threading.Thread(target=self._receive, args=(name,), daemon=True).start()

    def restore(self) -> None:
        """Every file as it was, with a git repository in the workspace as `git init` leaves it."""
        for path in (self.base / "work-2" / "file", self.outside / "deep" / "file", self.outside / "file", self.skills / "SKILL.md"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("mine", encoding="utf-8")
        os.chmod(self.outside / "file", 0o640)
        os.utime(self.outside / "file", (1000000000, 1000000000))
        git = self.workspace / ".git"
        for folder in ("hooks", "objects", "refs/heads"):
            (git / folder).mkdir(parents=True, exist_ok=True)
        (git / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        (git / "config").write_text(REPOSITORY, encoding="utf-8")

    def places(self) -> dict[str, str]:
        """What {names} in a script stand for."""
        return {"outside": str(self.outside), "sibling": str(self.base / "work-2"), "skills": str(self.skills), "home": str(self.home),
                "tcp": str(self.tcp.getsockname()[1]), "udp": str(self.udp.getsockname()[1]), "unix": str(self.base / "engine.sock"),
                "abstract": f"sandbox-test-{os.getpid()}", "agent": str(os.getpid()), "base": str(self.base)}

    def whole(self, path: Path) -> bool:
        """Whether a file still says what it said."""
        return path.is_file() and path.read_text(encoding="utf-8") == "mine"

    def _receive(self, name: str) -> None:
        listener: socket.socket = getattr(self, name)
        while True:
            try:
                if name == "udp":
                    listener.recvfrom(100)
                else:
                    listener.accept()[0].close()
            except OSError:
                return
            self.received.append(name)


def python(code: str) -> str:
    """A script line that runs Python code; the code holds no single quote."""
    return f"python3 - <<'PYTHON'\n{code}\nPYTHON"


def reached(name: str) -> Callable[[Scene, str], bool]:
    """Whether one of the scene's sockets heard something."""
    def look(scene: Scene, output: str) -> bool:
        time.sleep(0.1)
        return name in scene.received
    return look


def shown(text: str) -> Callable[[Scene, str], bool]:
    """Whether the output holds a text that only a success prints."""
    return lambda scene, output: text in output


def changed(*parts: str) -> Callable[[Scene, str], bool]:
    """Whether a file of the scene is no longer as it was."""
    return lambda scene, output: not scene.whole(scene.base.joinpath(*parts))


def exists(*parts: str) -> Callable[[Scene, str], bool]:
    """Whether a file that must not be is there."""
    return lambda scene, output: os.path.lexists(scene.base.joinpath(*parts))


def _metadata(scene: Scene, output: str) -> bool:
    state = (scene.outside / "file").stat()
    return state.st_mode & 0o777 != 0o640 or state.st_mtime != 1000000000


def _daemon_lives(scene: Scene, output: str) -> bool:
    heart = scene.workspace / "heartbeat"
    before = heart.stat().st_size if heart.exists() else 0
    time.sleep(0.5)
    return heart.exists() and heart.stat().st_size > before


PROC = "import os, sys\np = '/proc/{agent}/%s'\nprint('SEEN' if %s else 'no')"
HOSTILE = {
    "rm -rf outside": Attempt("rm -rf {outside}/deep", changed("outside", "deep", "file")),
    "sibling with the same prefix": Attempt("echo x > {sibling}/file; rm -rf {sibling}", changed("work-2", "file")),
    "a link found in the workspace": Attempt("echo x > found/planted", exists("outside", "planted")),
    "a link made by the command": Attempt("ln -s {outside} mine; echo x > mine/planted2; rm mine", exists("outside", "planted2")),
    "a hard link": Attempt("ln {outside}/file hard && echo x > hard; rm -f hard", changed("outside", "file")),
    "a rename to outside": Attempt("echo x > moved; mv moved {outside}/moved; rm -f moved", exists("outside", "moved")),
    "truncating outside": Attempt(python("import os; os.truncate('{outside}/file', 0)"), changed("outside", "file")),
    "writing a skill": Attempt("echo x >> {skills}/SKILL.md", changed("skills", "SKILL.md")),
    "chmod outside": Attempt("chmod 777 {outside}/file", _metadata),
    "touch -d outside": Attempt("touch -d 2030-01-01 {outside}/file", _metadata),
    "writing a git hook": Attempt("echo x > .git/hooks/pre-commit", exists("work", ".git", "hooks", "pre-commit")),
    "moving .git away and making it anew": Attempt(
        "mv .git gone && mkdir -p .git/hooks && echo x > .git/hooks/post-commit; ls gone; rm -rf gone",
        exists("work", ".git", "hooks", "post-commit")),
    "writing .git/config": Attempt(
        "echo [core] >> .git/config; git config core.fsmonitor evil",
        lambda scene, output: (scene.workspace / ".git" / "config").read_text() != REPOSITORY),
    "reading ~/.ssh": Attempt("cat {home}/.ssh/id_rsa", shown("PRIVATE KEY")),
    "reading .env in the workspace": Attempt("cat .env", shown("API=PRIVATE")),
    "TCP to the host": Attempt("echo x > /dev/tcp/127.0.0.1/{tcp}", reached("tcp")),
    "UDP to the host": Attempt("echo x > /dev/udp/127.0.0.1/{udp}", reached("udp")),
    "a raw packet socket": Attempt(python("import socket; socket.socket(17, 3, 0x0300); print('SEEN')"), shown("SEEN")),
    "a Unix socket by path": Attempt(python("import socket; socket.socket(1).connect('{unix}')"), reached("unix")),
    "an abstract Unix socket": Attempt(python("import socket; socket.socket(1).connect('\\0{abstract}')"), reached("abstract")),
    "a signal to the agent": Attempt("kill -0 {agent} && kill -USR1 {agent} && echo SEEN", shown("SEEN")),
    "/proc/AGENT/environ": Attempt("cat /proc/{agent}/environ", shown(KEY)),
    "/proc/AGENT/maps": Attempt("cat /proc/{agent}/maps", shown("libc")),
    "/proc/AGENT/cmdline": Attempt("tr '\\0' ' ' < /proc/{agent}/cmdline", shown("hostile.py")),
    "/proc/AGENT/mem": Attempt(python("print('SEEN' if open('/proc/{agent}/mem', 'rb') else '')"), shown("SEEN")),
    "/proc/AGENT/root": Attempt("ls /proc/{agent}/root/{home}/.ssh", shown("id_rsa")),
    "/proc/AGENT/cwd": Attempt("readlink /proc/{agent}/cwd && echo SEEN", shown("SEEN")),
    "ptrace": Attempt(python("import ctypes; print('SEEN' if ctypes.CDLL(None).ptrace(0x4206, {agent}, 0, 0) == 0 else '')"), shown("SEEN")),
    "a daemon that outlives the command": Attempt(
        "setsid bash -c '(while true; do echo x >> heartbeat; sleep 0.05; done) & disown' >/dev/null 2>&1 & sleep 0.3", _daemon_lives),
    "/dev/tty": Attempt("echo x > /dev/tty && echo SEEN", shown("SEEN")),
    "mounting read-write from inside": Attempt("mount -o remount,rw / ; mount -o remount,rw /usr; mount -t tmpfs none . && echo SEEN; "
                                               "unshare -Urm mount -o remount,rw /usr && echo SEEN", shown("SEEN")),
    "writing /proc/sys": Attempt("f=/proc/sys/kernel/sched_rt_runtime_us; v=$(cat $f); echo $v > $f && echo SEEN", shown("SEEN")),
    "making a block device": Attempt("mknod disk b 254 0 && echo SEEN; rm -f disk", shown("SEEN")),
    # Beyond the 33 of the table.
    "reading another project": Attempt("cat {outside}/file", shown("mine")),
    "reading /etc/shadow": Attempt("cat /etc/shadow", shown("root:")),
    "writing the agent's own folder": Attempt("echo allow > .agent/policy.yaml", exists("work", ".agent", "policy.yaml")),
    "the key in the environment": Attempt("env; cat /proc/*/environ", shown(KEY)),
    "the key in a command line": Attempt("cat /proc/*/cmdline", shown(KEY)),
    "a new user namespace": Attempt("unshare -U true && echo SEEN", shown("SEEN")),
    "a vsock socket": Attempt(python("import socket; socket.socket(40, 1, 0); print('SEEN')"), shown("SEEN")),
}
# The others cannot succeed in a test run (no terminal, no key to find, orphans are ended in every tier) or would harm the machine.
PROVABLE = [name for name in HOSTILE if name not in (
    "mounting read-write from inside", "a daemon that outlives the command", "/dev/tty", "the key in the environment",
    "the key in a command line", "writing /proc/sys", "making a block device", "a raw packet socket", "reading /etc/shadow",
    "a new user namespace", "a vsock socket")]
WORKING = {
    "git init": "git init -q fresh && ls fresh/.git/HEAD",
    "git commit": "git init -q repo; cd repo && echo x > file && git add file && "
                  "git -c user.name=a -c user.email=a@b commit -qm first && git log --oneline",
    "python ssl": "python3 -c 'import ssl; ssl.create_default_context()'",
    "sqlite": "python3 -c 'import sqlite3; c = sqlite3.connect(\"data.db\"); c.execute(\"create table t(x)\"); c.commit()' && test -s data.db",
    "$TMPDIR": "f=$(mktemp) && echo x > $f && cat $f && cd ~ && echo y > ~/note && cat ~/note",
    "/dev/null": "echo x > /dev/null && head -c 4 /dev/urandom > /dev/zero && echo z > /dev/stdout && echo e > /dev/stderr",
    "a process pool": "cat > pool.py <<'P'\nimport multiprocessing as m\nif __name__ == '__main__':\n    with m.get_context('fork').Pool(2) as p:\n"
                      "        assert p.map(abs, [-1, -2]) == [1, 2]\nP\npython3 pool.py",
    "a server on 127.0.0.1": "python3 -c 'import socket; s = socket.create_server((\"127.0.0.1\", 0)); socket.create_connection(s.getsockname())'",
}


def run(sandbox: Sandbox, script: str, timeout: float = 30) -> tuple[int, str]:
    """Exit status and output of a bash script in the sandbox."""
    command = sandbox.spawn(["bash", "--noprofile", "--norc", "-c", script], merge=True)
    timer = threading.Timer(timeout, command.kill_tree)
    timer.start()
    with command.stdout:
        output = command.stdout.read().decode(errors="replace")
    status = command.wait(5)
    timer.cancel()
    return status, output


def attempt(sandbox: Sandbox, scene: Scene, name: str) -> tuple[bool, str]:
    """(stopped, or for the working ones: works; what it printed)."""
    if name in WORKING:
        status, output = run(sandbox, WORKING[name])
        return status == 0, f"{output}\nexit {status}"
    scene.restore()
    script = HOSTILE[name].script
    for key, value in scene.places().items():
        script = script.replace("{" + key + "}", value)
    output = run(sandbox, script)[1]
    return not HOSTILE[name].got_through(scene, output), output


def main() -> None:
    tier, base, *names = sys.argv[1:]
    if "AGENT_KEY" not in os.environ:
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "AGENT_KEY": KEY, "HOME": f"{base}/home"})
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    scene = Scene(Path(base))
    with Sandbox(scene.workspace, [scene.skills], names=["AGENT_KEY"], secrets=[KEY], at_most=tier,
                 bwrap=os.environ.get("TEST_BWRAP", ""), cache=Path(base) / "cache.json") as sandbox:
        checks = {name: attempt(sandbox, scene, name) for name in names or [*HOSTILE, *WORKING]}
        print(json.dumps({"tier": sandbox.tier, "missing": sandbox.missing, "refused": sandbox.probe.refused, "checks": checks}))


if __name__ == "__main__":
    main()
