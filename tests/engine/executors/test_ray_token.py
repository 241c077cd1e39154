"""A Ray that a run starts answers to that run alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

_RUN = """
import json, os, subprocess, sys
from tests.engine.executors import tasks
from ustory.engine.executors.ray import RayExecutor

executor = RayExecutor(1, store=128 << 20)
found = executor.map(tasks.refuse, [4], executor.share(1, None))
import ray
address = ray.get_runtime_context().gcs_address
join = "import ray, sys; ray.init(address=sys.argv[1], log_to_driver=False)"
bare = {k: v for k, v in os.environ.items() if not k.startswith("RAY_AUTH")}
ends = {}
for name, given in {
    "none": {"RAY_AUTH_MODE": "disabled"},
    "wrong": {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0" * 64},
    "right": {k: v for k, v in os.environ.items() if k.startswith("RAY_AUTH")},
}.items():
    done = subprocess.run(
        [sys.executable, "-c", join, address], env={**bare, **given}, timeout=120,
        capture_output=True,
    )
    ends[name] = done.returncode == 0
executor.close()
print(json.dumps([found, ends]))
"""


@pytest.mark.timeout(600)
def test_nobody_joins_without_the_token_of_the_run() -> None:
    pytest.importorskip("ray", reason="needs the extra ray")
    bare = {k: v for k, v in os.environ.items() if not k.startswith("RAY_AUTH")}
    done = subprocess.run(
        [sys.executable, "-c", _RUN],
        cwd=Path(__file__).parents[3],
        env=bare,
        capture_output=True,
        text=True,
        check=True,
    )

    found, ends = json.loads(done.stdout.splitlines()[-1])

    assert found == [4]
    assert ends == {"none": False, "wrong": False, "right": True}
