"""On the shared labelled streams, the rules give the counts that are known."""

import gzip
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ustory.scores.windows import AssignmentRow, Report, evaluate_assignments

DAY = timedelta(days=1)
ROOT = Path(__file__).parents[2]
PLACES = (ROOT / "shared" / "data", ROOT.parent / "shared" / "data")


def unassigned_throughout(name: str) -> Report:
    """Score a run that listed each article once a day and assigned none."""
    path = next((p / name for p in PLACES if (p / name).is_file()), None)
    if path is None:
        pytest.skip(f"the shared labelled stream {name} is not here")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        articles = [json.loads(line) for line in lines]
    ends = {
        each["id"]: datetime.fromisoformat(each["date"]).replace(tzinfo=UTC) + DAY
        for each in articles
    }
    truth = {each["id"]: str(each["story"]) for each in articles}
    return evaluate_assignments(truth, _windows(ends), 7 * DAY, DAY)


def _windows(ends: dict[str, datetime]) -> Iterator[AssignmentRow]:
    # The streams are sorted by date, so a window is a run of articles.
    for end in sorted(set(ends.values())):
        for article, arrived in ends.items():
            if end - 7 * DAY < arrived <= end:
                yield AssignmentRow(end, article, None)


def test_newswarp_has_26_windows_and_singletons_score_as_published() -> None:
    report = unassigned_throughout("newswarp-a.jsonl.gz")

    assert len(report.windowed.windows) == 26
    assert round(report.windowed.mean.bcubed_f1, 3) == 0.341
    assert report.windowed.mean.ami == pytest.approx(0, abs=1e-9)
    assert report.windowed.mean.ari == pytest.approx(0, abs=1e-9)
    assert (report.whole_stream.articles, report.whole_stream.stories) == (791, 128)


def test_allsides_has_890_windows_quiet_days_included() -> None:
    report = unassigned_throughout("allsides-2018.jsonl.gz")

    assert len(report.windowed.windows) == 890
    assert (report.whole_stream.articles, report.whole_stream.stories) == (1634, 697)
