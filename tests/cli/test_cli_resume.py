"""A run that stops, for whatever reason, goes on as if it had not."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.cli.calls import FAST, PAPER, Records, Ustory, write_lines
from ustory.cli.main import cli
from ustory.cli.saved import SavePoint, load_point
from ustory.cli.session import Session
from ustory.core.method import METHOD
from ustory.core.settings import Settings
from ustory.core.story import Event, Slide
from ustory.engine.online import Engine
from ustory.engine.snapshot import container
from ustory.engine.state import State

OUTPUTS = ("assignments", "stories", "events")
SLIDES = 9


def flags(name: str) -> list[str]:
    """Write all outputs, each to a file that begins with `name`."""
    return [part for each in OUTPUTS for part in (f"--{each}", f"{name}.{each}")]


def written(name: str) -> dict[str, str]:
    return {each: Path(f"{name}.{each}").read_text() for each in OUTPUTS}


@pytest.fixture(scope="session")
def whole(news: Records, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return what one uninterrupted run writes."""
    folder = tmp_path_factory.mktemp("whole")
    stream = write_lines(folder / "news.jsonl", news)
    name = str(folder / "whole")
    arguments = ["discover", str(stream), *FAST, *flags(name)]
    assert CliRunner().invoke(cli, arguments).exit_code == 0
    return written(name)


@pytest.fixture
def strike(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401 - a function
    """Send this process a signal in the middle of the given slide, once."""

    def plan(slide: int, number: int = signal.SIGINT) -> None:
        advance, calls = Engine.advance, iter(range(1, 100))

        def interrupted(
            self: Engine, state: State, given: Slide
        ) -> tuple[State, Sequence[Event]]:
            if next(calls) == slide:
                signal.raise_signal(number)
            return advance(self, state, given)

        monkeypatch.setattr(Engine, "advance", interrupted)

    return plan


@pytest.mark.parametrize("slide", [2, 4, 7, SLIDES])
def test_ctrl_c_leaves_the_last_complete_slide_and_the_rest_follows(
    slide: int,
    ustory: Ustory,
    stream: Path,
    whole: dict[str, str],
    strike: Any,  # noqa: ANN401 - a function
) -> None:
    command = ("discover", stream, *FAST, "--state", "state", *flags("part"))
    strike(slide)
    stopped = ustory(*command)
    end = f"2024-03-{3 + slide:02d}T00:00:00"

    assert stopped.exit_code == 130
    assert stopped.stdout == ""
    assert stopped.stderr == (
        f"interrupted; state holds the stream up to {end}Z: "
        "run the same command again to go on from there\n"
    )
    assert str(load_point(Path("state"))[0].state.end) == f"{end}+00:00".replace(
        "T", " "
    )
    part, full = written("part"), whole["assignments"]
    assert full.startswith(part["assignments"])
    assert json.loads(part["assignments"].splitlines()[-1])["slide_end"] == f"{end}Z"

    assert ustory(*command).exit_code == 0
    assert written("part") == whole


def test_ctrl_c_before_the_first_slide_is_complete_saves_nothing(
    ustory: Ustory,
    stream: Path,
    strike: Any,  # noqa: ANN401 - a function
) -> None:
    strike(1)

    result = ustory("discover", stream, *FAST, "--state", "state", *flags("part"))

    assert result.exit_code == 130
    assert "nothing was saved" in result.stderr
    assert not Path("state").exists()
    assert written("part") == dict.fromkeys(OUTPUTS, "")


def test_ctrl_c_without_a_state_says_how_to_be_able_to_go_on(
    ustory: Ustory,
    stream: Path,
    strike: Any,  # noqa: ANN401 - a function
) -> None:
    strike(4)

    result = ustory("discover", stream, *FAST)

    assert result.exit_code == 130
    assert "give --state FILE" in result.stderr


def test_a_signal_in_the_middle_of_a_write_waits_for_its_end(
    ustory: Ustory, stream: Path, whole: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    complete, calls = Session._complete, iter(range(1, 100))

    def interrupted(self: Session, result: Any) -> None:  # noqa: ANN401 - passed on
        if next(calls) == 3:
            signal.raise_signal(signal.SIGTERM)
        complete(self, result)

    command = ("discover", stream, *FAST, "--state", "state", *flags("part"))
    with monkeypatch.context() as patch:
        patch.setattr(Session, "_complete", interrupted)
        stopped = ustory(*command)

    assert stopped.exit_code == 143
    assert "up to 2024-03-07T00:00:00Z" in stopped.stderr
    ustory(*command)
    assert written("part") == whole


@pytest.mark.parametrize("cut", [1, 30, 47, 48, 60, 85])
def test_half_a_stream_and_then_the_rest_equal_one_run(
    cut: int, ustory: Ustory, stream: Path, news: Records, whole: dict[str, str]
) -> None:
    command = ("discover", "growing.jsonl", *FAST, "--state", "state", *flags("part"))

    write_lines(Path("growing.jsonl"), news[:cut])
    first = ustory(*command)
    write_lines(Path("growing.jsonl"), news)
    second = ustory(*command, "--json")

    assert first.exit_code == 0
    assert written("part") == whole
    assert json.loads(second.stdout)["articles"] == len(news)


def test_a_state_of_another_version_of_the_method_goes_on_and_says_so(
    ustory: Ustory,
    news: Records,
    whole: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command = ("discover", "growing.jsonl", *FAST, "--state", "state", *flags("part"))
    write_lines(Path("growing.jsonl"), news[:47])
    with monkeypatch.context() as patch:
        patch.setattr(container, "METHOD", METHOD - 1)
        ustory(*command)

    write_lines(Path("growing.jsonl"), news)
    second, third = ustory(*command), ustory(*command)

    assert second.exit_code == 0
    assert second.stderr == (
        f"state was made with version {METHOD - 1} of the method (ustory "
        f"{version('ustory')}); it goes on with version {METHOD}: stories keep their "
        "ids, new articles are judged by today's rules\n"
    )
    assert third.stderr == ""
    assert written("part") == whole


def test_a_new_file_every_day_equals_one_file_of_all_days(
    ustory: Ustory, news: Records, whole: dict[str, str]
) -> None:
    days = sorted({record["published_at"][:10] for record in news})
    for day in days:
        today = [record for record in news if record["published_at"][:10] == day]
        write_lines(Path(f"{day}.jsonl"), today)
        command = ("discover", f"{day}.jsonl", *FAST, "--state", "state")
        assert ustory(*command, *flags("part")).exit_code == 0

    assert written("part") == whole


def test_running_again_with_nothing_new_changes_nothing(
    ustory: Ustory, stream: Path, whole: dict[str, str]
) -> None:
    command = ("discover", stream, *FAST, "--state", "state", *flags("part"), "--json")
    first = json.loads(ustory(*command).stdout)
    second = json.loads(ustory(*command).stdout)

    assert written("part") == whole
    assert second["articles"] == first["articles"]
    assert second["unassigned"] == first["unassigned"]
    live = [story for story in first["stories"] if story["status"] == "live"]
    assert [s for s in second["stories"] if s["status"] == "live"] == live


@pytest.mark.parametrize(
    "spans", [("40", "9"), ("60h", "4h")], ids=["by number", "short slides"]
)
def test_other_windows_are_resumed_too(
    spans: tuple[str, str], ustory: Ustory, stream: Path, news: Records
) -> None:
    window, slide = spans
    other = ("--encoder", "tiny", "--preset", "paper", "--min-articles", 2)
    chosen = (*other, "--window", window, "--slide", slide)
    ustory("discover", stream, *chosen, *flags("whole"))
    command = ("discover", "growing.jsonl", *chosen, "--state", "state")

    for cut in (30, 36, 50, len(news)):
        write_lines(Path("growing.jsonl"), news[:cut])
        assert ustory(*command, *flags("part")).exit_code == 0

    assert written("part") == written("whole")


def test_a_bad_record_stops_the_run_but_not_what_came_before(
    ustory: Ustory, news: Records, whole: dict[str, str]
) -> None:
    command = ("discover", "news2.jsonl", *FAST, "--state", "state", *flags("part"))
    write_lines(Path("news2.jsonl"), [*news[:50], ["bad"], *news[50:]])
    assert ustory(*command).exit_code == 1
    assert whole["assignments"].startswith(written("part")["assignments"])

    result = ustory(*command, "--on-error", "skip", "--json")

    assert written("part") == whole
    assert json.loads(result.stdout)["skipped"] == {"not-an-object": 1}


def test_what_was_skipped_is_counted_over_all_runs(
    ustory: Ustory, news: Records
) -> None:
    flags = (*FAST, "--state", "state", "--on-error", "skip")
    write_lines(Path("news2.jsonl"), [["bad"], *news[:50], ["bad"]])
    ustory("discover", "news2.jsonl", *flags)
    write_lines(
        Path("news2.jsonl"), [["bad"], *news[:50], ["bad"], *news[50:], news[-1]]
    )

    result = ustory("discover", "news2.jsonl", *flags)

    assert "skipped 2 not-an-object" in result.stdout
    assert "skipped 1 duplicate-id" in result.stdout


def test_a_duplicate_of_an_article_from_the_run_before_is_found(
    ustory: Ustory, news: Records
) -> None:
    flags = (*FAST, "--state", "state")
    write_lines(Path("one.jsonl"), news[:50])
    write_lines(Path("two.jsonl"), [news[49], *news[50:]])
    ustory("discover", "one.jsonl", *flags)

    result = ustory("discover", "two.jsonl", *flags)

    assert result.exit_code == 1
    assert result.stderr.startswith("Error: two.jsonl, line 1: the id ")


def test_a_state_keeps_its_settings(ustory: Ustory, stream: Path) -> None:
    command = ("discover", stream, "--state", "state")
    ustory(*command, *PAPER)

    kept = ustory(*command, "--json")
    other = ustory(*command, "--window", "5d")
    preset = ustory(*command, "--preset", "paper")
    same = ustory(*command, "--set", "window=72h", "--set", "keywords=10")

    assert json.loads(kept.stdout)["settings"]["window"] == "3d"
    assert same.exit_code == 0, same.output
    assert other.exit_code == 1
    assert "state was made with other settings: window is 3d, not 5d" in other.stderr
    assert preset.exit_code == 1
    assert "min_articles is 2, not 8" in preset.stderr


@pytest.mark.parametrize("data", [b"", b"something else\n", b"ustory-state 1 abc\nxyz"])
def test_a_file_that_is_no_state_is_refused_and_kept(
    data: bytes, ustory: Ustory, stream: Path
) -> None:
    Path("state").write_bytes(data)

    result = ustory("discover", stream, *FAST, "--state", "state")

    assert result.exit_code == 1
    assert result.stderr.startswith("Error: state ")
    assert result.stderr.count("\n") == 1
    assert Path("state").read_bytes() == data


def test_a_resumed_run_adds_to_an_output_that_its_state_does_not_know(
    ustory: Ustory, stream: Path, news: Records
) -> None:
    write_lines(Path("half.jsonl"), news[:50])
    ustory("discover", "half.jsonl", *FAST, "--state", "state")
    Path("mine.jsonl").write_text('{"kept": true}\n')
    write_lines(Path("half.jsonl"), news)

    ustory(
        "discover", "half.jsonl", *FAST, "--state", "state", "--events", "mine.jsonl"
    )

    lines = Path("mine.jsonl").read_text().splitlines()
    assert lines[0] == '{"kept": true}'
    assert len(lines) > 1


def test_an_older_state_cuts_off_what_was_written_after_it(
    ustory: Ustory, news: Records, whole: dict[str, str]
) -> None:
    command = ("discover", "growing.jsonl", *FAST, "--state", "state", *flags("part"))
    write_lines(Path("growing.jsonl"), news[:40])
    ustory(*command)
    older = Path("state").read_bytes()
    write_lines(Path("growing.jsonl"), news)
    ustory(*command)
    Path("state").write_bytes(older)  # as after a power cut

    assert ustory(*command).exit_code == 0
    assert written("part") == whole


def test_a_long_run_is_saved_on_the_way(
    ustory: Ustory, stream: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = []

    def save(path: Path, point: SavePoint, settings: Settings) -> None:
        saved.append((str(point.state.end)[:10], len(point.pending)))

    monkeypatch.setattr("ustory.cli.session.SAVE_EVERY", 0.0)
    monkeypatch.setattr("ustory.cli.session.save_point", save)
    ustory("discover", stream, *FAST, "--state", "state")

    assert [end for end, _ in saved[:-1]] == [
        f"2024-03-{day:02d}" for day in range(5, 4 + SLIDES)
    ]
    *_, (end, pending) = saved
    assert end == "2024-03-12"
    assert pending > 0


def test_a_real_signal_to_a_real_process(
    ustory: Ustory, news: Records, whole: dict[str, str]
) -> None:
    command = [sys.executable, "-c", "from ustory.cli.main import cli; cli()"]
    arguments = ["discover", "-", *FAST, "--state", "state", *flags("part")]
    lines = "".join(json.dumps(record) + "\n" for record in news)
    process = subprocess.Popen(
        [*command, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write("".join(lines.splitlines(keepends=True)[:60]).encode())
    process.stdin.flush()  # it now waits for more, with some slides behind it
    _wait_for(Path("part.assignments"))

    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)

    assert process.returncode == 130, errors.decode()
    assert errors.startswith(b"interrupted; state holds the stream up to 2024-03-")
    resumed = ustory(*arguments, stdin=lines)
    assert resumed.exit_code == 0, resumed.output
    assert written("part") == whole


def _wait_for(path: Path) -> None:
    for _ in range(600):
        if path.exists() and path.stat().st_size:
            time.sleep(0.5)  # not in the midst of the slides that follow
            return
        time.sleep(0.1)
    raise AssertionError(f"{path} was not written in a minute")
