from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from tests.bench.experiments.figure_case import (
    demo_inputs,
    failed,
    inputs_of,
    measured,
    plan_of,
    shown,
    unit_mean,
    written,
)

from ustory.core.errors import ConfigError
from ustory.scores.agreement import score
from ustory_bench.experiments.confusable import LEAST, Twins, most_confusable
from ustory_bench.experiments.confusions import mixed_up
from ustory_bench.experiments.contract import find_experiment
from ustory_bench.experiments.neighbours import NEIGHBOURS, find, picture
from ustory_bench.experiments.segments import joined
from ustory_bench.report.blocks import Figure, Table
from ustory_bench.runner.follow import follow
from ustory_bench.runner.jobs import Cell
from ustory_bench.system import find_system

pytest.importorskip("sklearn", reason="t-SNE comes with the extra bench")
PLAN = plan_of("ustory-auto", "constream", "constream-pse", "ustory-no-time")


@cache
def all_cells() -> tuple[Cell, ...]:
    return tuple(measured(NEIGHBOURS, PLAN, demo_inputs()))


def demo_cells() -> list[Cell]:
    """Return the cells of the demo stream, which all tests of the section share."""
    return list(all_cells())


def test_the_experiment_is_registered() -> None:
    assert find_experiment("neighbours") is NEIGHBOURS


def test_the_two_stories_have_the_highest_mean_cosine_across() -> None:
    inputs = demo_inputs()
    members: dict[str, list[int]] = {}
    rows = np.stack([unit_mean(one) for one in inputs.stream.articles])
    for place, one in enumerate(inputs.stream.articles):
        members.setdefault(one.article.label or "", []).append(place)
    members.pop("", None)
    large = sorted(name for name, m in members.items() if len(m) >= LEAST[0])
    times = [one.article.published_at for one in inputs.stream.articles]
    scores = {}
    for first, second in combinations(large, 2):
        a, b = members[first], members[second]
        gap = max(times[a[0]], times[b[0]]) - min(times[a[-1]], times[b[-1]])
        if gap.total_seconds() < 7 * 86_400:
            scores[frozenset((first, second))] = float((rows[a] @ rows[b].T).mean())

    found, *rest = most_confusable(inputs.stream, inputs.settings)

    best = max(scores, key=lambda pair: scores[pair])
    assert {found.story, found.neighbour} == best
    assert found.similarity == pytest.approx(scores[best], abs=1e-5)
    assert len(members[found.story]) >= len(members[found.neighbour])
    named = [name for each in (found, *rest) for name in (each.story, each.neighbour)]
    assert len(set(named)) == len(named)
    similar = [each.similarity for each in (found, *rest)]
    assert similar == sorted(similar, reverse=True)


def test_stories_that_cannot_share_a_window_are_no_neighbours() -> None:
    same = [written(f"a{i}", ["Rain in Velm"], "x", i) for i in range(2)]
    twin = [written(f"b{i}", ["Rain in Velm"], "y", 400 + i) for i in range(2)]
    near = [written(f"c{i}", ["Vote on a law"], "z", 30 + i) for i in range(2)]

    (found,) = most_confusable(inputs_of([*same, *near, *twin]).stream, PLAN.settings)

    assert {found.story, found.neighbour} == {"x", "z"}
    with pytest.raises(ConfigError, match="neighbours need two true stories"):
        most_confusable(inputs_of([*same, *twin]).stream, PLAN.settings)


def last_told(system: str) -> tuple[list[Twins], dict[str, str | None]]:
    """Return the pairs, and the last stories of one run over all their days."""
    inputs = demo_inputs()
    pairs = most_confusable(inputs.stream, inputs.settings)
    (days,) = joined(inputs.stream, (twins.stretch for twins in pairs))
    discoverer = find_system(system).make(inputs.settings, inputs.encoder)
    last: dict[str, str | None] = {}
    for told in follow(discoverer, days.articles, inputs.settings):
        last |= told.stories
    return pairs, last


def test_a_system_is_asked_for_the_last_story_of_each_article() -> None:
    pairs, last = last_told("constream")

    found = find(demo_inputs(), "constream")
    placed = picture(demo_inputs())

    assert found["articles"] == len(last)
    for twins, told, drawn in zip(pairs, found["pairs"], placed, strict=True):
        articles = [one.article for one in twins.stretch.articles]
        pair = [a for a in articles if a.label in (twins.story, twins.neighbour)]
        stories = [last[a.id] for a in pair]
        assert told["found"] == [None if s is None else f"0-{s}" for s in stories]
        expected = score([a.label or "" for a in pair], stories, "singleton")
        assert told["bcubed_f1"] == pytest.approx(expected.bcubed_f1, abs=1e-6)
        assert len(drawn["places"]) == len(pair)


def test_strangers_are_the_other_articles_of_the_found_stories() -> None:
    pairs, last = last_told("constream-pse")
    truth = demo_inputs().stream.truth
    expected = []
    for twins in pairs:
        names = (twins.story, twins.neighbour)
        theirs = {s for a, s in last.items() if truth[a] in names and s is not None}
        others = [a for a, s in last.items() if s in theirs and truth[a] not in names]
        expected.append(len(others))

    found = find(demo_inputs(), "constream-pse")["pairs"]

    assert [told["strangers"] for told in found] == expected


def test_a_story_of_both_counts_the_smaller_side() -> None:
    assert mixed_up([0, 0, 1, 1, 1], ["a", "a", "a", "b", None]) == 1
    assert mixed_up([0, 0, 1, 1], ["a", "a", "b", "b"]) == 0
    assert mixed_up([0, 1], [None, None]) == 0


def test_ablations_are_left_out_and_every_other_system_has_its_job() -> None:
    jobs = NEIGHBOURS.jobs(PLAN)

    asked = [job.system for job in jobs if job.arguments]
    assert asked == ["ustory-auto", "constream", "constream-pse"]
    assert all(job.arguments == {"system": job.system} for job in jobs[1:])


def test_each_panel_shows_every_article_with_the_symbol_of_its_true_story() -> None:
    cells = demo_cells()
    data = NEIGHBOURS.gather(PLAN, cells)
    figure, table = shown(NEIGHBOURS, data).blocks

    assert isinstance(figure, Figure)
    assert isinstance(table, Table)
    each = data["streams"][0]
    scores = [
        [found["pairs"][i]["bcubed_f1"] for found in each["systems"].values()]
        for i in range(len(each["pairs"]))
    ]
    spread = [max(found) - min(found) for found in scores]
    true = each["pairs"][spread.index(max(spread))]["true"]
    for axis in ("x", "x2", "x3"):
        traces = [t for t in figure.traces if t["xaxis"] == axis]
        held = {
            symbol: sum(
                len(t["x"])
                for t in traces
                if t["marker"]["symbol"].removesuffix("-open") == symbol
            )
            for symbol in ("circle", "star")
        }
        assert held == {"circle": true.count(0), "star": true.count(1)}
    titles = [note["text"] for note in figure.layout["annotations"]]
    assert titles[0] == "ustory-auto"
    assert [row.cells[0].value for row in table.rows] == scores[0]


def test_the_best_of_the_others_stand_behind_ours() -> None:
    cells = demo_cells()
    data = NEIGHBOURS.gather(PLAN, cells)
    figure = shown(NEIGHBOURS, data).blocks[0]

    assert isinstance(figure, Figure)
    titles = [note["text"] for note in figure.layout["annotations"]]
    systems = data["streams"][0]["systems"]
    rest = [systems[name]["bcubed_f1"] for name in titles[1:]]
    assert rest == sorted(rest, reverse=True)


def test_a_system_that_failed_is_a_row_of_dashes_and_a_fault() -> None:
    cells = demo_cells()
    cells[2] = failed(cells[2])
    section = shown(NEIGHBOURS, NEIGHBOURS.gather(PLAN, cells))

    figure, table = section.blocks
    assert isinstance(figure, Figure)
    assert isinstance(table, Table)
    row = next(row for row in table.rows if row.name == "constream")
    assert {cell.value for cell in row.cells} == {None}
    assert "constream" not in {n["text"] for n in figure.layout["annotations"]}
    assert list(section.faults) == ["Neighbours on stream (constream): the dog ate it"]


def test_without_the_picture_there_is_no_figure() -> None:
    cells = demo_cells()
    section = shown(NEIGHBOURS, NEIGHBOURS.gather(PLAN, [failed(cells[0]), *cells[1:]]))

    assert not section.blocks
    assert len(section.faults) == 1
