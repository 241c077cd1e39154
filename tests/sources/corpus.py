"""feedparser's own test files, from its source distribution, as pip gets it.

`python -m tests.sources.corpus` downloads it, into a folder outside the repository
(`USTORY_TEST_CACHE`, or that for temporary files); tests themselves download nothing.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path, PurePosixPath

_PATIENCE = 120
_HEADER = re.compile(rb"^Header:\s*([^:\r\n]+):(.+)$", re.M)
_HEAD = 1_000


@dataclass(frozen=True)
class Document:
    """One file, and the headers it says it is sent with."""

    name: str
    body: bytes
    headers: dict[str, str]


def kept() -> Path:
    """Return where the archive is, or would be, of the version that is installed."""
    base = os.environ.get("USTORY_TEST_CACHE", tempfile.gettempdir())
    name = f"feedparser-{version('feedparser')}.tar.gz"
    return Path(base) / "ustory-feedparser" / name


def download() -> bool:
    """Get the archive with pip unless it is there; return whether it is."""
    path = kept()
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        pip = [sys.executable, "-m", "pip", "download", "--no-binary", ":all:"]
        wanted = ["--no-deps", "--dest", str(path.parent)]
        wanted.append(f"feedparser=={version('feedparser')}")
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run([*pip, *wanted], timeout=_PATIENCE, check=False)
    return path.exists()


def documents(archive: Path) -> Iterator[Document]:
    """Yield the XML files of the tests, in order of name."""
    with tarfile.open(archive) as packed:
        members = {
            "/".join(PurePosixPath(member.name).parts[2:]): member
            for member in packed.getmembers()
            if member.isfile() and PurePosixPath(member.name).parts[1] == "tests"
        }
        for name in sorted(members):
            content = packed.extractfile(members[name])
            if name.endswith(".xml") and content is not None:
                body = content.read()
                yield Document(name, body, _headers(body))


def _headers(body: bytes) -> dict[str, str]:
    found = _HEADER.findall(body[:_HEAD])
    return {k.decode().strip(): v.decode().strip() for k, v in found}


if __name__ == "__main__":
    sys.exit(not download())
