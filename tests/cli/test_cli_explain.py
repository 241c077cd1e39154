from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calls import FAST, PAPER, Records, Ustory, read_lines


@pytest.fixture
def state(ustory: Ustory, stream: Path) -> Path:
    flags = ("--state", "state", "--assignments", "out.jsonl")
    assert ustory("discover", stream, *PAPER, *flags).exit_code == 0
    return Path("state")


@pytest.fixture
def final(state: Path) -> Records:
    """Return the last window as the run wrote it."""
    lines = read_lines(Path("out.jsonl"))
    return [line for line in lines if line["slide_end"] == lines[-1]["slide_end"]]


def test_every_article_in_the_window_is_explained_as_it_was_assigned(
    ustory: Ustory, final: Records
) -> None:
    for line in final[::3]:
        result = ustory("explain", line["article"], "--state", "state", "--json")
        found = json.loads(result.stdout)
        assert found["story"] == line["story"]
        assert found["similarity"] == pytest.approx(line["similarity"], abs=1e-5)
        assert found["confidence"] == pytest.approx(line["confidence"], rel=1e-4)
        assert (found["how"] == "waiting") == (line["story"] is None)
        assert found["reasons"]
        weights = [sentence["weight"] for sentence in found["sentences"]]
        assert sum(weights) == pytest.approx(1.0 if found["best"] else 0.0, abs=1e-6)


def test_the_decision_comes_in_words_before_the_sentences(
    ustory: Ustory, final: Records
) -> None:
    article = next(line["article"] for line in final if line["story"] is not None)

    result = ustory("explain", article, "--state", "state")
    found = json.loads(ustory("explain", article, "--state", "state", "--json").stdout)

    assert result.exit_code == 0, result.output
    words = " ".join(result.stdout.split())
    assert words.startswith(f"{article}: {found['title']}")
    for reason in found["reasons"]:
        assert reason in words
    assert f"{found['similarity']:.2f} = {found['cosine']:.2f}" in words
    assert f"ln(conf/γ) is {found['log_odds']:+.2f}" in words
    for keyword, count in found["keywords"].items():
        assert f"{keyword} ({count})" in words
    best = max(found["sentences"], key=lambda sentence: sentence["weight"])
    row = f"s{best['number']:02d} {best['weight']:.3f} "
    assert words.index(found["reasons"][-1]) < words.index(row)


def test_an_article_that_waits_is_explained_too(ustory: Ustory, final: Records) -> None:
    waiting = [
        line for line in final if line["story"] is None and line["similarity"] > 0
    ]

    result = ustory("explain", waiting[0]["article"], "--state", "state")

    assert result.exit_code == 0
    words = " ".join(result.stdout.split())
    assert "in no story yet, as of the slide that ended 13 March 2024" in words
    assert "misses the bar for joining" in words


def test_an_unknown_article_comes_with_similar_ids(
    ustory: Ustory, final: Records
) -> None:
    known = final[0]["article"]

    result = ustory("explain", f"{known}x", "--state", "state")

    assert result.exit_code == 1
    assert (
        f"no article '{known}x' in the window of state, which holds " in result.stderr
    )
    assert (
        "it has left the window, or was never read; similar ids are: " in result.stderr
    )
    assert known in result.stderr.split("similar ids are: ")[1]


def test_an_article_that_left_the_window_is_not_made_up(
    ustory: Ustory, state: Path
) -> None:
    result = ustory("explain", "a-0001", "--state", state)

    assert result.exit_code == 1
    assert "it has left the window" in result.stderr


def test_a_missing_state_is_one_line(ustory: Ustory) -> None:
    result = ustory("explain", "a", "--state", "none")

    assert result.exit_code == 1
    assert result.stderr.startswith("Error: cannot read the state from none: ")
    assert result.stderr.count("\n") == 1


def test_a_linked_article_is_explained_by_its_links(
    ustory: Ustory, stream: Path
) -> None:
    flags = ("--state", "linked", "--assignments", "linked.jsonl")
    assert ustory("discover", stream, *FAST, *flags).exit_code == 0
    lines = read_lines(Path("linked.jsonl"))
    final = [line for line in lines if line["slide_end"] == lines[-1]["slide_end"]]
    assert {line["story"] is None for line in final} == {True, False}

    for line in final[::3]:
        result = ustory("explain", line["article"], "--state", "linked", "--json")
        found = json.loads(result.stdout)
        assert found["story"] == line["story"]
        assert (found["how"] == "waiting") == (line["story"] is None)
        if line["story"] is not None:
            assert found["confidence"] == pytest.approx(line["confidence"], rel=1e-4)
        assert all(0 < likely <= 1 for likely in found["links"].values())
        assert not found["links"] or found["best"]
        weights = [sentence["weight"] for sentence in found["sentences"]]
        known = 1.0 if found["keywords"] else 0.0
        assert sum(weights) == pytest.approx(known, abs=1e-6)


def test_links_are_told_in_words(ustory: Ustory, stream: Path) -> None:
    flags = ("--state", "linked", "--assignments", "linked.jsonl")
    assert ustory("discover", stream, *FAST, *flags).exit_code == 0
    lines = read_lines(Path("linked.jsonl"))
    final = [line for line in lines if line["slide_end"] == lines[-1]["slide_end"]]
    inside = next(line["article"] for line in final if line["story"] is not None)
    waits = next(line["article"] for line in final if line["story"] is None)

    words = ustory("explain", inside, "--state", "linked").stdout
    other = ustory("explain", waits, "--state", "linked").stdout

    assert "The probability is " in " ".join(words.split())
    assert "It is in no story yet" in other
