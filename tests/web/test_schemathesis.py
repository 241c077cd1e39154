"""The whole OpenAPI document is kept to, whatever is sent."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from tests.web.conftest import GENEROUS, KEY, open_service
from tests.web.running import running
from ustory.web.keys import Keys
from ustory.web.service import Rules

_EXAMPLES = 6
"""Cases for each endpoint and phase, besides those that the document itself gives."""


def test_schemathesis_finds_no_failure(database: Path, tmp_path: Path) -> None:
    limits = replace(GENEROUS, stream_seconds=0.02)
    service = open_service(database, Rules(keys=Keys.of([KEY]), limits=limits))
    try:
        with running(service) as address:
            command = [
                *(sys.executable, "-m", "schemathesis.cli"),
                *("--config-file", str(Path(__file__).with_name("schemathesis.toml"))),
                "run",
                f"{address}/api/openapi.json",
                *("--header", f"Authorization: Bearer {KEY}"),
                *("--max-examples", str(_EXAMPLES), "--seed", "1", "--no-color"),
                *("--checks", "all", "--request-timeout", "20", "--warnings", "off"),
                *("--suppress-health-check", "all"),
            ]
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                check=False,
                cwd=tmp_path,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            )
    finally:
        service.store.close()

    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-5_000:]
