"""No package that reads pages is loaded, or heard, before a page is read."""

from __future__ import annotations

import subprocess
import sys

_START = """
import sys
from datetime import UTC, datetime
from ustory.sources.feeds.fulltext import FullText
from ustory.sources.http.client import Web
from ustory.sources.http.politeness import Spacing
import ustory.service.map, ustory.web.assembly
FullText(Web(), Spacing(sleep=print), lambda: datetime.now(UTC))
print(sorted({"requests", "trafilatura", "urllib3"} & set(sys.modules)))
"""


def test_a_service_starts_without_the_packages_that_read_pages() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", _START],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.strip() == "[]"
    assert "SOCKS" not in done.stderr
