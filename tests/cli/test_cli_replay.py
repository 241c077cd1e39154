from __future__ import annotations

from pathlib import Path

from tests.cli.calls import FAST, PAPER, Ustory


def test_a_replay_gives_the_ledger_that_discover_wrote(
    ustory: Ustory, stream: Path
) -> None:
    ustory("discover", stream, *FAST, "--events", "events.jsonl")

    result = ustory("replay", stream, *FAST, "--verify", "--against", "events.jsonl")

    assert result.exit_code == 0, result.output
    hashes = [line.split("  ") for line in result.stdout.splitlines()[:2]]
    assert [part for _, part in hashes] == ["events", "assignments"]
    assert all(len(digest) == 64 for digest, _ in hashes)
    assert "a second run gave the same events and assignments" in result.stdout
    assert "events.jsonl holds the same events" in result.stdout


def test_another_ledger_is_refused_and_named(ustory: Ustory, stream: Path) -> None:
    ustory("discover", stream, *PAPER, "--events", "events.jsonl")

    result = ustory("replay", stream, *FAST, "--against", "events.jsonl")

    assert result.exit_code == 1
    assert "events.jsonl has other events: " in result.stderr
    assert "check that input, settings, encoder and version are the same" in (
        result.stderr
    )


def test_guidance_is_read_and_a_bad_file_is_one_line(
    ustory: Ustory, stream: Path
) -> None:
    Path("watch.toml").write_text('[[watched]]\nname = "quake"\nkeywords = ["quake"]\n')
    Path("bad.toml").write_text("[[watched]]\nnaem = 1\n")

    good = ustory("discover", stream, *FAST, "--guidance", "watch.toml", "--json")
    bad = ustory("discover", stream, *FAST, "--guidance", "bad.toml")
    paper = ustory("discover", stream, *PAPER, "--guidance", "watch.toml")

    assert good.exit_code == 0, good.output
    assert bad.exit_code == 1
    assert "bad.toml" in bad.stderr
    assert bad.stderr.count("\n") == 1
    assert paper.exit_code == 1
    assert "guidance is for mode links" in paper.stderr
