"""One environment per set of dependencies, made once and kept below AGENT_WORKSPACE/pyscript/environments.

An environment is made in a folder of its own; a small file that names the folder is put in place last, so a half-made one is never used.
"""
from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from problem import FAILED, NOT_SET_UP, Problem

INSTALL_TIMEOUT = 600
_NO_NETWORK = ("Name or service not known", "name resolution", "Network is unreachable", "dns error", "failed to lookup address")
_BARE = re.compile(r"[A-Za-z0-9._-]+")


def installed(dependencies: tuple[str, ...]) -> bool:
    """Whether the running Python has them all already; only bare names are judged, a version condition is not."""
    try:
        return all(_BARE.fullmatch(one) and importlib.metadata.version(one) for one in dependencies)
    except importlib.metadata.PackageNotFoundError:
        return False


def find(folder: Path, dependencies: tuple[str, ...]) -> str | None:
    """The Python of the environment for this set, None when there is none yet."""
    try:
        name = json.loads(_pointer(folder, dependencies).read_text(encoding="utf-8"))["folder"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    python = _python(folder / str(name))
    return str(python) if re.fullmatch(r"[0-9a-f]{16}-\w+", str(name)) and python.exists() else None


def make(folder: Path, dependencies: tuple[str, ...]) -> str:
    """Make the environment and return its Python. Needs the network. Problem `no_network`, or `install_failed` with what the installer said."""
    if _only_loopback():
        raise Problem("no_network", "no_network", NOT_SET_UP)
    folder.mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=_key(dependencies) + "-", dir=folder))
    uv = shutil.which("uv")
    python = _python(place)
    try:
        if uv:
            _call([uv, "venv", "--quiet", "--allow-existing", "--python", sys.executable, str(place)])
            _call([uv, "pip", "install", "--quiet", "--no-build", "--python", str(python), "--", *dependencies])
        else:
            _call([sys.executable, "-m", "venv", str(place)])
            _call([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input",
                   "--only-binary", ":all:", "--", *dependencies])
    except Problem:
        shutil.rmtree(place, ignore_errors=True)
        raise
    pointer = _pointer(folder, dependencies)
    new = pointer.with_suffix(f".{os.getpid()}")
    new.write_text(json.dumps({"folder": place.name, "dependencies": dependencies}), encoding="utf-8")
    os.replace(new, pointer)
    return str(python)


def _only_loopback() -> bool:
    """Whether there is certainly no way out, as in a sandbox without the network: an installer would try for many seconds."""
    if not sys.platform.startswith("linux") or any(name.lower().endswith("_proxy") for name in os.environ):
        return False
    try:
        return {name for _, name in socket.if_nameindex()} <= {"lo"}
    except OSError:
        return False


def _call(argv: list[str]) -> None:
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=INSTALL_TIMEOUT, check=False)
    except OSError as error:
        raise Problem("install_failed", "install_failed", NOT_SET_UP, detail=str(error)) from error
    except subprocess.TimeoutExpired as error:
        raise Problem("install_failed", "install_failed", FAILED, detail=f"> {INSTALL_TIMEOUT} s") from error
    if done.returncode:
        said = [line.strip() for line in (done.stderr or done.stdout).decode("utf-8", "replace").splitlines() if line.strip()]
        if any(sign in line for line in said for sign in _NO_NETWORK):
            raise Problem("no_network", "no_network", NOT_SET_UP)
        errors = [line for line in said if not line.startswith("WARNING")][-6:]
        raise Problem("install_failed", "install_failed", FAILED, detail=" / ".join(errors)[:1000] or str(done.returncode))


def _key(dependencies: tuple[str, ...]) -> str:
    text = "\n".join([*dependencies, f"{sys.implementation.cache_tag} {sys.platform} {sys.base_prefix}"])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _pointer(folder: Path, dependencies: tuple[str, ...]) -> Path:
    return folder / f"{_key(dependencies)}.json"


def _python(place: Path) -> Path:
    return place / "Scripts" / "python.exe" if os.name == "nt" else place / "bin" / "python"
