"""Bad records stop the run, or are counted."""

import pytest

from ustory.core.errors import ConfigError, InputError
from ustory.sources.records.problems import Problems


def problem(kind: str, line: int) -> InputError:
    return InputError(kind, f"reason {line}", file="a.jsonl", line=line)


def test_stop_raises_the_first_problem() -> None:
    error = problem("bad-date", 3)

    with pytest.raises(InputError) as caught:
        Problems("stop")(error)

    assert caught.value is error


def test_skip_counts_by_kind_and_keeps_the_first_of_each() -> None:
    problems = Problems("skip")
    for kind, line in [("bad-date", 3), ("no-text", 4), ("no-text", 7)]:
        problems(problem(kind, line))

    assert problems.counts == {"bad-date": 1, "no-text": 2}
    assert problems.total == 3
    assert problems.summary() == (
        "skipped 2 no-text (there is neither a title nor a text), "
        "first: a.jsonl, line 4: reason 4",
        "skipped 1 bad-date (the publication date cannot be read), "
        "first: a.jsonl, line 3: reason 3",
    )


def test_nothing_skipped_needs_no_summary() -> None:
    assert Problems("skip").summary() == ()


def test_there_are_two_policies() -> None:
    with pytest.raises(ConfigError, match="one of stop, skip; got 'ignore'"):
        Problems("ignore")
