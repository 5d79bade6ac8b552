"""Confinement on macOS (Seatbelt) and process control on Windows (job object). Neither was verified on a real machine by us."""
from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from core.sandbox.policy import AGENT_FOLDER, Policy

End = Callable[[], None]
MAC_SYSTEM = ("/usr", "/bin", "/sbin", "/System", "/Library", "/opt", "/private/etc", "/private/var/db", "/dev", "/Applications/Xcode.app")
KILL_ON_CLOSE, EXTENDED_LIMITS, CREATE_NEW_PROCESS_GROUP = 0x2000, 9, 0x200
ACTIVE_PROCESSES, PROCESS_LIMIT = 0x8, 512


def confinement(policy: Policy, tier: str, temporary: str, network: bool) -> tuple[list[str], dict[str, Any], Callable[[Any], End | None]]:
    """(words before the command, options of Popen, what to do with the started process: it gives a way to end its whole tree)."""
    if tier == "seatbelt":
        profile = seatbelt_profile(policy, temporary, network)
        return ["/usr/bin/sandbox-exec", "-p", profile], {"start_new_session": True}, lambda process: None
    if os.name == "nt":
        return [], {"creationflags": CREATE_NEW_PROCESS_GROUP}, _assign_to_job if tier == "job" else lambda process: None
    return [], {"start_new_session": True}, lambda process: None


def seatbelt_profile(policy: Policy, temporary: str, network: bool) -> str:
    """The Seatbelt rules of a policy: nothing is allowed but what stands here; the last rule that fits decides."""
    interpreter = [Path(sys.prefix), Path(sys.base_prefix)]
    lines = ["(version 1)", "(deny default)", "(allow process-fork)", "(allow process-exec)", "(allow signal (target same-sandbox))",
             "(allow sysctl-read)", "(allow file-read-metadata)", "(allow ipc-posix-sem)", "(allow ipc-posix-shm)",
             '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))']
    readable = [*map(Path, MAC_SYSTEM), *interpreter, *policy.readable]
    writable = [*policy.roots, Path(temporary)]
    lines += _rules("allow file-read*", [*readable, *writable])
    lines += _rules("allow file-write*", writable)
    lines += ['(allow file-write* (literal "/dev/null") (literal "/dev/tty"))', "(allow file-ioctl (literal \"/dev/tty\"))"]
    closed = [policy.workspace / AGENT_FOLDER]
    lines += _rules("deny file-write*", closed)
    lines += [f'(deny file-write* (regex #"^{_regex(root)}/(.*/)?\\.git/(hooks(/.*)?|config)$"))' for root in policy.roots]
    lines += [f'(deny file-read* (regex #"^{_regex(root)}/(.*/)?\\.env(\\..*)?$"))' for root in policy.roots]
    lines += _rules("deny file-read*", policy.masked)
    lines += ["(allow network*)"] if network else []
    return "\n".join(lines)


def _rules(verb: str, paths: Iterable[Path]) -> list[str]:
    return [f"({verb} (subpath {_quote(str(path))}))" for path in dict.fromkeys(paths)]


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _regex(path: Path) -> str:
    import re
    return re.escape(str(path)).replace('"', '\\"')


def _assign_to_job(process: subprocess.Popen[bytes]) -> End | None:
    """Put a Windows process into a job that ends with our handle; the value ends the job at once."""
    import ctypes
    kernel: Any = ctypes.windll.kernel32  # type: ignore[attr-defined,unused-ignore]  # exists on Windows only
    kernel.CreateJobObjectW.restype = ctypes.c_void_p
    job = ctypes.c_void_p(kernel.CreateJobObjectW(None, None))
    if not job:
        return None
    # JOBOBJECT_EXTENDED_LIMIT_INFORMATION, 64 bit: LimitFlags at offset 16, ActiveProcessLimit at 40, 144 bytes in all.
    limits = bytearray(144)
    limits[16:20] = (KILL_ON_CLOSE | ACTIVE_PROCESSES).to_bytes(4, "little")
    limits[40:44] = PROCESS_LIMIT.to_bytes(4, "little")
    buffer = (ctypes.c_char * len(limits)).from_buffer(limits)
    kernel.SetInformationJobObject(job, EXTENDED_LIMITS, buffer, len(limits))
    kernel.AssignProcessToJobObject(job, ctypes.c_void_p(int(process._handle)))  # type: ignore[attr-defined,unused-ignore]  # Windows only
    return lambda: (kernel.TerminateJobObject(job, 1), None)[1]
