from __future__ import annotations

from collections import Counter

import pytest
from tests.bench.experiments.figure_case import (
    all_failed,
    demo_inputs,
    inputs_of,
    measured,
    plan_of,
    shown,
    written,
)

from ustory.core.errors import ConfigError
from ustory_bench.experiments.contract import find_experiment
from ustory_bench.experiments.segments import busiest
from ustory_bench.experiments.timeline import (
    KEYWORDS,
    STORIES,
    TIMELINE,
    WINDOWS,
    measure,
)
from ustory_bench.report.blocks import Figure, Table
from ustory_bench.runner.follow import follow
from ustory_bench.runner.score import duration
from ustory_bench.system import find_system


def test_the_experiment_is_registered() -> None:
    assert find_experiment("timeline") is TIMELINE


def test_sizes_are_what_the_system_tells_after_each_slide() -> None:
    inputs = demo_inputs()
    span = WINDOWS * duration(inputs.settings.window)
    articles = busiest(inputs.stream, span, inputs.settings).articles
    system = find_system("ustory-auto").make(inputs.settings, inputs.encoder)
    told = list(follow(system, articles, inputs.settings))
    ever: dict[str, set[str]] = {}
    for each in told:
        for article, story in each.stories.items():
            if story is not None:
                ever.setdefault(story, set()).add(article)
    largest = sorted(ever, key=lambda story: (-len(ever[story]), story))[:STORIES]

    found = measure(inputs)

    assert found["ends"] == [each.end.isoformat() for each in told]
    assert found["found"] == len(ever)
    assert [s["articles"] for s in found["stories"]] == [len(ever[s]) for s in largest]
    counts = [Counter(each.stories.values()) for each in told]
    for story, line in zip(largest, found["stories"], strict=True):
        assert line["sizes"] == [count[story] for count in counts]


def test_a_story_has_a_headline_of_its_own_and_its_truest_label() -> None:
    inputs = demo_inputs()
    titles = {one.article.title for one in inputs.stream.articles}
    labels = set(inputs.stream.truth.values())

    for story in measure(inputs)["stories"]:
        assert any(title.startswith(story["headline"][:20]) for title in titles)
        assert 1 <= len(story["keywords"]) <= KEYWORDS
        assert story["truth"] in labels
        assert 0 < story["share"] <= 1
        assert story["first"] <= story["last"]


def test_a_stream_in_which_nothing_is_found_is_refused_in_words() -> None:
    lone = [written("a", ["Rain"], "x"), written("b", ["Vote"], "y", 300)]

    with pytest.raises(ConfigError, match="a timeline needs stories"):
        measure(inputs_of(lone))


def test_the_figure_has_a_line_and_an_axis_for_each_story() -> None:
    cells = measured(TIMELINE, plan_of(), demo_inputs())
    figure, table = shown(TIMELINE, TIMELINE.gather(plan_of(), cells)).blocks

    assert isinstance(figure, Figure)
    assert isinstance(table, Table)
    stories = cells[0].result["stories"]
    assert [trace["y"] for trace in figure.traces] == [s["sizes"] for s in stories]
    assert len({trace["yaxis"] for trace in figure.traces}) == len(stories)
    ranges = [v["range"] for k, v in figure.layout.items() if k.startswith("yaxis")]
    assert ranges == [[0, max(max(s["sizes"]) for s in stories)]] * len(stories)
    assert len(figure.layout["annotations"]) == len(table.rows) == len(stories)


def test_a_failed_cell_is_a_fault_and_nothing_else() -> None:
    cells = all_failed(TIMELINE, plan_of())
    section = shown(TIMELINE, TIMELINE.gather(plan_of(), cells))

    assert not section.blocks
    assert list(section.faults) == ["Timeline on stream (ustory-auto): the dog ate it"]
