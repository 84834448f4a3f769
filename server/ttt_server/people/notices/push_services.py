"""The push services of browsers: only there does the server send pushes. Pure."""

from collections.abc import Collection
from typing import Final
from urllib.parse import urlsplit

_HOSTS: Final = frozenset(
    {
        "fcm.googleapis.com",  # Chrome, Edge on Android, Opera, Samsung Internet
        "updates.push.services.mozilla.com",  # Firefox
        "web.push.apple.com",  # Safari
    }
)
_DOMAINS: Final = (
    ".push.services.mozilla.com",
    ".push.apple.com",
    ".notify.windows.com",  # Edge on Windows
)
"""Their servers have names of many kinds below these."""


def is_known(endpoint: str, own: Collection[str] = ()) -> bool:
    """Return whether an endpoint is of a known push service.

    Args:
        endpoint: its address, as a client gave it.
        own: origins of the operator's own services, like `https://push.example.org`.
    """
    if not endpoint.isascii() or not endpoint.isprintable() or " " in endpoint:
        return False
    try:
        parts = urlsplit(endpoint)
        port = parts.port
    except ValueError:
        return False
    if "@" in parts.netloc or parts.hostname is None:
        return False
    if f"{parts.scheme}://{parts.netloc}" in own:
        return True
    host = parts.hostname
    is_listed = host in _HOSTS or host.endswith(_DOMAINS)
    return parts.scheme == "https" and port in (None, 443) and is_listed
