"""Where an endpoint is: the parts of API_BASE_URL and the paths made from it."""
from __future__ import annotations

from typing import NamedTuple

from core.endpoint.wire import Origin
from core.errors import SettingsError

CHAT = "/chat/completions"


class Address(NamedTuple):
    """An endpoint. `path` has no trailing slash and no /chat/completions; `query` is kept as given (Azure needs it)."""

    origin: Origin
    path: str
    query: str = ""

    @property
    def base(self) -> str:
        """The base URL in its normal form, without user, password and query; fit to be shown."""
        return f"{self.origin.scheme}://{self.origin.authority}{self.path}"

    def target(self, prefix: str, tail: str = CHAT) -> str:
        """The request target; `prefix` is put behind the path ("/v1" once a server turned out to want it)."""
        return f"{self.path}{prefix}{tail}" + (f"?{self.query}" if self.query else "")


def parse_address(url: str) -> Address:
    """Read API_BASE_URL; SettingsError says what is wrong with it."""
    from urllib.parse import quote, urlsplit

    text = url.strip()
    try:
        parts = urlsplit(text)
        host, port = (parts.hostname or "").strip(), parts.port
        ascii_host = host if host.isascii() else host.encode("idna").decode("ascii")
    except ValueError:
        raise SettingsError("llm.bad_url", url=without_password(text)) from None
    if parts.scheme not in ("http", "https") or not ascii_host or any(character.isspace() for character in ascii_host):
        raise SettingsError("llm.bad_url", url=without_password(text))
    path = parts.path.rstrip("/").removesuffix(CHAT).rstrip("/")
    origin = Origin(parts.scheme, ascii_host, port or (443 if parts.scheme == "https" else 80))
    return Address(origin, quote(path, safe="/%:@!$&'()*+,;=~-._"), quote(parts.query, safe="/%:@!$&'()*+,;=~-._?"))


def without_password(url: str) -> str:
    """The URL without what stands before an @: it may be a password."""
    scheme, separator, rest = url.partition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2]}"[:200]
