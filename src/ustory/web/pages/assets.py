"""Style sheets, scripts and Plotly's, read once and compressed once."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from ustory.web.errors import ApiError

STATIC = Path(__file__).parent.parent / "static"
"""The folder with style sheets and scripts."""
MERGED: Mapping[str, tuple[str, ...]] = {
    "css/shared.css": ("css/tokens.css", "css/base.css", "css/parts.css"),
}
"""Files that are sent as one, because every page needs all of them."""
PLOTLY = "plotly.min.js"
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_IMPORT = re.compile(r'(\b(?:from|import)\s*\(?\s*"\./)([\w-]+\.js)"')
"""A module of the same folder that a script imports, at once or later."""


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is sent."""

    media_type: str
    version: str
    """It changes with the content; part of the address."""
    plain: bytes
    packed: bytes
    """The same in gzip."""

    @property
    def tag(self) -> str:
        """Its ETag: weak, because it names both forms."""
        return f'W/"{self.version}"'


@cache
def assets() -> Mapping[str, Asset]:
    """Return all files of the folder by their names, merged ones included."""
    found = {
        path.relative_to(STATIC).as_posix(): path.read_bytes()
        for path in sorted(STATIC.rglob("*"))
        if path.suffix in _TYPES
    }
    for name, parts in MERGED.items():
        found[name] = b"\n".join(found[part] for part in parts)
    # scripts import each other: one version for all, so that none imports an old one
    scripts = b"\0".join(found[name] for name in sorted(found) if name.endswith(".js"))
    together = _digest(scripts)
    made = {}
    for name, content in found.items():
        is_script = name.endswith(".js")
        body = versioned(content.decode(), together).encode() if is_script else content
        kind = _TYPES[Path(name).suffix]
        made[name] = _asset(kind, together if is_script else _digest(content), body)
    return MappingProxyType(made)


def versioned(script: str, number: str) -> str:
    """Return a script whose imports name the version, so that browsers may keep them.

    >>> versioned('import { a } from "./b.js";', "7")
    'import { a } from "./b.js?v=7";'
    """
    return _IMPORT.sub(rf'\1\2?v={number}"', script)


def static_path(name: str) -> str:
    """Return the address of a file that browsers may keep until it changes."""
    if name == PLOTLY:
        return f"/static/{PLOTLY}?v={_plotly_version()}"
    return f"/static/{name}?v={assets()[name].version}"


@cache
def modules(*names: str) -> tuple[str, ...]:
    """Return the addresses of all modules that some scripts import at their start.

    A page names them in its head: otherwise each is found only when the one before it
    has come, a round trip later.
    """
    found: list[str] = []
    waiting = [f"js/{name}.js" for name in names]
    while waiting:
        script = STATIC / waiting.pop(0)
        text = script.read_text("utf-8") if script.is_file() else ""
        for opening, name in _IMPORT.findall(text):
            path = f"js/{name}"
            if "(" not in opening and path not in found:
                found.append(path)
                waiting.append(path)
    return tuple(static_path(path) for path in found)


@cache
def plotly() -> Asset:
    """Return Plotly's script, from the package that is installed."""
    try:
        script = files("plotly").joinpath(f"package_data/{PLOTLY}").read_bytes()
    except (ModuleNotFoundError, FileNotFoundError):
        raise ApiError(
            501, "plots need Plotly: install it with pip install 'ustory[serve]'"
        ) from None
    return _asset(_TYPES[".js"], _digest(script), script, 6)


@cache
def _plotly_version() -> str:
    try:
        return version("plotly")
    except PackageNotFoundError:
        return "none"


def _asset(media_type: str, number: str, body: bytes, level: int = 9) -> Asset:
    return Asset(media_type, number, body, gzip.compress(body, level, mtime=0))


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()[:12]
