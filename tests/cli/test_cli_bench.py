"""`ustory bench`: a report in one command, resumed, whatever the systems do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.bench.experiments.rigged import register
from tests.cli.calls import Records, Ustory, write_lines
from ustory.core import registry
from ustory_bench.commands.bench_bars import Silent
from ustory_bench.runner.jobs import Cell

pytest.importorskip("plotly", reason="needs the extra bench to write a page")

QUICK = ("--encoder", "tiny", "--window", "3d", "--experiments", "table1,table2")
FILES = ("report.html", "results.json", "results.csv", "tables.md")


@pytest.fixture
def rigged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Register systems that end badly, for this process and those it starts."""
    folder = tmp_path / "registered"
    folder.mkdir()
    register(folder)
    monkeypatch.syspath_prepend(str(folder))
    registry.names.cache_clear()
    registry.find.cache_clear()
    yield
    registry.names.cache_clear()
    registry.find.cache_clear()


def results(folder: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(folder, "results.json").read_text())
    return found


def timeless(value: object) -> object:
    """Return results without what the clock and the memory say."""
    measured = {"seconds", "longest", "peak_mib"}
    if isinstance(value, dict):
        return {k: timeless(v) for k, v in value.items() if k not in measured}
    return [timeless(each) for each in value] if isinstance(value, list) else value


def test_a_report_has_all_its_files_and_is_not_measured_twice(
    ustory: Ustory, stream: Path
) -> None:
    command = ("bench", stream, *QUICK, "--systems", "constream,ustory-auto")
    first = ustory(*command, "--report", "out")
    written = Path("out/results.json").read_bytes()

    again = ustory(*command, "--report", "out")

    assert first.exit_code == 0, first.output
    assert first.stdout == "out/report.html\n"
    assert [name for name in FILES if not Path("out", name).exists()] == []
    assert Path("out/tables/table2-paper-windowed.tex").exists()
    assert again.exit_code == 0
    assert Path("out/results.json").read_bytes() == written
    plan = results("out")["plan"]
    assert plan["systems"] == ["constream", "ustory-auto"]
    assert plan["experiments"] == ["table1", "table2"]
    assert results("out")["settings"]["window"] == "3d"
    assert results("out")["failed"] == []


def test_each_stream_has_its_own_window_in_one_report(
    ustory: Ustory, stream: Path
) -> None:
    other = Path("other.jsonl")
    other.write_bytes(stream.read_bytes())
    asked = [
        *("--encoder", "tiny", "--systems", "constream"),
        *("--experiments", "table1,table2,windows"),
    ]

    done = ustory(
        *("bench", stream, other, *asked, "--report", "both"),
        *("--window", "4d", "--window", "other=2d"),
    )
    for name, span in ((stream, "4d"), (other, "2d")):
        alone = ("bench", name, *asked, "--window", span, "--report", name.stem)
        assert ustory(*alone).exit_code == 0

    assert done.exit_code == 0, done.output
    found = results("both")
    assert found["settings"]["window"] == "4d"
    assert found["windows"] == {"other": "2d"}
    for name in (stream, other):
        for table in ("table1", "table2"):
            alone_data = results(name.stem)["experiments"][table]["streams"]
            told = found["experiments"][table]["streams"][name.stem]
            assert timeless(told) == timeless(alone_data[name.stem])
    sizes = {
        (point["stream"], point["size"])
        for point in found["experiments"]["windows"]["points"]
    }
    assert ("other", "2d") in sizes
    assert (stream.stem, "2d") not in sizes
    tables = Path("both/tables.md").read_text()
    assert "Means over windows of 4d (2d on other) that slide by 1d" in tables
    assert "4d (2d on other), sliding by 1d" in Path("both/report.html").read_text()


def test_a_system_whose_code_has_changed_is_measured_again_and_no_other(
    ustory: Ustory, stream: Path
) -> None:
    systems = ("--systems", "constream,miranda")
    command = ("bench", stream, *QUICK, *systems, "--report", "out")
    ustory(*command)
    kept = Path("out/work/cells.jsonl").read_text().splitlines()

    done = ustory(*command, "--again", "miranda")

    assert done.exit_code == 0, done.output
    lines = Path("out/work/cells.jsonl").read_text().splitlines()
    assert lines[: len(kept)] == kept
    new = [json.loads(line)["cell"]["job"]["system"] for line in lines[len(kept) :]]
    assert new == ["miranda"]


@pytest.mark.usefixtures("rigged")
def test_systems_that_crash_dawdle_or_eat_memory_are_rows_that_say_so(
    ustory: Ustory, stream: Path
) -> None:
    systems = "rigged-fine,rigged-crash,rigged-slow,rigged-hungry"

    done = ustory(
        *("bench", stream, *QUICK, "--systems", systems, "--report", "out"),
        *("--limit", "5", "--memory", "400"),
    )

    assert done.exit_code == 0, done.output
    found = results("out")
    ended = {each["system"]: each["status"] for each in found["failed"]}
    assert ended == {
        "rigged-crash": "failed",
        "rigged-slow": "timeout",
        "rigged-hungry": "memory",
    }
    for told in ("SIGSEGV", "longer than its limit of 5 s", "out of memory"):
        assert told in done.stderr
    table = Path("out/tables.md").read_text()
    assert "| rigged-crash | failed |" in table
    assert "| rigged-slow | out of time |" in table
    assert "| rigged-hungry | out of memory |" in table
    assert "| rigged-fine | 0." in table


def test_an_interrupted_bench_goes_on_and_ends_with_the_same_results(
    ustory: Ustory, stream: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("bench", stream, *QUICK, "--systems", "constream,average-link")
    ustory(*command, "--report", "whole")
    done: list[Cell] = []

    def strike(self: Silent, cell: Cell) -> None:
        done.append(cell)
        if len(done) == 3:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Silent, "done", strike)
    stopped = ustory(*command, "--report", "part")
    kept = Path("part/work/cells.jsonl").read_text()
    early = Path("part/results.json").exists()

    resumed = ustory(*command, "--report", "part")

    assert stopped.exit_code == 130
    assert "run the same command again" in stopped.stderr
    assert not early
    assert resumed.exit_code == 0, resumed.output
    assert len(kept.splitlines()) == 3
    assert Path("part/work/cells.jsonl").read_text().startswith(kept)
    names = [cell.job.system + str(cell.job.arguments) for cell in done]
    assert len(set(names)) == len(names)  # none was done twice
    assert timeless(results("part")) == timeless(results("whole"))


def test_a_bench_that_is_killed_leaves_no_process_and_goes_on(
    ustory: Ustory, stream: Path
) -> None:
    command = ["bench", str(stream), *QUICK, "--systems", "constream,average-link"]
    command += ["--report", "part", "--workers", "1"]
    cells = Path("part/work/cells.jsonl")
    call = [sys.executable, "-c", "from ustory.cli.main import cli; cli()", *command]
    bench = subprocess.Popen(call)
    deadline = time.monotonic() + 120
    while not (cells.exists() and cells.read_text().count("\n")):
        assert bench.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    started = children(bench.pid)
    bench.send_signal(signal.SIGKILL)
    bench.wait()
    kept = cells.read_text()
    while any(map(alive, started)):
        assert time.monotonic() < deadline
        time.sleep(0.05)

    resumed = ustory(*command)

    assert resumed.exit_code == 0, resumed.output
    assert cells.read_text().startswith(kept)
    assert results("part")["failed"] == []


def children(process: int) -> list[int]:
    """Return the processes that a process started, where the system tells."""
    found = Path(f"/proc/{process}/task").glob("*/children")
    return [int(each) for path in found for each in path.read_text().split()]


def alive(process: int) -> bool:
    """Return whether a process is there, and not just waiting to be buried."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--systems", "constream,ustori"], "no system named 'ustori'; try one of: "),
        (["--experiments", "table9"], "no experiment named 'table9'; try one of: "),
        (["--encoder", "none"], "no encoder named 'none'; try one of: "),
        (["--window", "100", "--slide", "10"], "windows by time"),
        (["--window", "soon"], "a duration like 7d"),
        (["--window", "news=soon"], "a duration like 7d"),
        (["--window", "news=100"], "must both be durations"),
        (["--window", "other=3d"], "'other', and no stream is named so; there are: "),
        (["--window", "news=3d", "--window", "news=1d"], "'news'; give one"),
        (["--window", "3d", "--window", "1d"], "STREAM=SPAN"),
        (["--systems", "constream", "--again", "hdbscan"], "'hdbscan' cannot be"),
    ],
)
def test_what_is_not_known_is_refused_with_what_is(
    flags: list[str], message: str, ustory: Ustory, stream: Path
) -> None:
    done = ustory("bench", stream, *flags, "--report", "out")

    assert done.exit_code == 1
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not Path("out").exists()


def test_streams_that_cannot_be_scored_are_refused(
    ustory: Ustory, news: Records
) -> None:
    plain = [{k: v for k, v in each.items() if k != "story"} for each in news]
    write_lines(Path("plain.jsonl"), plain)
    write_lines(Path("one.jsonl"), [{**each, "story": "s"} for each in news])

    for name, told in (
        ("plain.jsonl", "no true story"),
        ("one.jsonl", "a single true story"),
        ("absent.jsonl", "cannot read the stream absent.jsonl"),
        ("-", "cannot read the stream -"),
    ):
        done = ustory("bench", name, *QUICK, "--report", "out")
        assert done.exit_code == 1
        assert told in done.stderr
        assert done.stderr.count("\n") == 1


def test_a_folder_that_cannot_be_written_is_refused_before_the_work(
    ustory: Ustory, stream: Path
) -> None:
    Path("taken").write_text("a file")
    Path("locked").mkdir(mode=0o500)
    folders = ["taken"] if os.geteuid() == 0 else ["taken", "locked"]

    for folder in folders:
        done = ustory("bench", stream, *QUICK, "--report", folder)
        assert done.exit_code == 1
        assert f"cannot write to the folder {folder}" in done.stderr
        assert done.stderr.count("\n") == 1


def test_without_the_extra_the_command_that_installs_it_is_told(
    ustory: Ustory, stream: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ustory_bench.experiments.bench.find_spec", lambda name: None)

    done = ustory("bench", stream, *QUICK, "--report", "out")

    assert done.exit_code == 1
    assert "pip install ustory-bench" in done.stderr


def test_bars_show_each_system(ustory: Ustory, stream: Path) -> None:
    done = ustory(
        *("bench", stream, "--encoder", "tiny", "--systems", "constream"),
        *("--experiments", "identity", "--report", "out", "--progress"),
    )

    assert done.exit_code == 0, done.output
    assert "preparing news with tiny" in done.stderr
    assert "constream" in done.stderr
    assert "0/1" in done.stderr
