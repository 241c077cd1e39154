"""Fig. 9, left: how large the largest found stories were, slide by slide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ustory.core.errors import ConfigError
from ustory.core.story import Story
from ustory.stories.live import live_stories
from ustory_bench.experiments.pictures import day, label, shortened
from ustory_bench.experiments.run_ustory import OURS, CaseStudy, run_ustory
from ustory_bench.experiments.segments import Stretch, busiest
from ustory_bench.report.blocks import Block, Figure, Table, TableRow, Value
from ustory_bench.runner.jobs import Inputs, Plain
from ustory_bench.runner.score import duration

STORIES = 10
"""Shown: those with the most articles."""
KEYWORDS = 5
"""Shown of each story, as in the paper."""
WINDOWS = 5
"""Length of the stretch that is shown, in windows."""

_ROOM = 0.55
"""Share of a story's stripe that its line fills; the rest is for its headline."""


def measure(inputs: Inputs) -> Plain:
    """Return the largest stories that our own method found in the busiest stretch."""
    stretch = busiest(
        inputs.stream, WINDOWS * duration(inputs.settings.window), inputs.settings
    )
    ran = run_ustory(inputs, stretch.articles)
    sizes: list[dict[str, int]] = []
    members: dict[str, set[str]] = {}
    at_its_best: dict[str, Story] = {}
    for state in ran.states:
        stories = live_stories(state, ran.settings)
        sizes.append({story.id: len(story.articles) for story in stories})
        for story in stories:
            members.setdefault(story.id, set()).update(story.articles)
            best = at_its_best.get(story.id)
            if best is None or len(story.articles) > len(best.articles):
                at_its_best[story.id] = story
    if not members:
        raise ConfigError(
            f"a timeline needs stories; {OURS} found none in the busiest stretch of "
            f"{inputs.stream.name}: give a stream with more articles a day"
        )
    largest = sorted(members, key=lambda story: (-len(members[story]), story))[:STORIES]
    return {
        "start": stretch.start.isoformat(),
        "end": stretch.end.isoformat(),
        "articles": len(stretch.articles),
        "found": len(members),
        "ends": [state.end.isoformat() for state in ran.states if state.end],
        "stories": [
            _story(at_its_best[story], members[story], stretch)
            | {"sizes": [each.get(story, 0) for each in sizes]}
            for story in largest
        ],
    }


def _story(story: Story, members: set[str], stretch: Stretch) -> Plain:
    """Return what people read of a story: as it was when it was largest."""
    inside = [one.article for one in stretch.articles if one.article.id in members]
    labels = Counter(one.label for one in inside if one.label is not None)
    # the most common label; the first in the alphabet wins a tie
    truth = min(labels, key=lambda name: (-labels[name], name), default=None)
    return {
        "headline": shortened(story.headline, 90),
        "keywords": list(story.keywords[:KEYWORDS]),
        "articles": len(inside),
        "first": inside[0].published_at.isoformat(),
        "last": inside[-1].published_at.isoformat(),
        "truth": truth,
        "share": round(labels[truth] / len(inside), 6) if truth is not None else None,
    }


def _text(streams: Sequence[Plain]) -> str:
    what = (
        f"What {OURS} found, as its readers would see it: the largest stories, with "
        "the number of their articles in the window after each slide. The headline is "
        "the title of a story's most central article and the keywords are its "
        "heaviest, both when the story was largest; nobody wrote or chose them. A "
        f"stretch of {WINDOWS} windows is shown, the one with the most articles."
    )
    return "\n\n".join([what, " ".join(map(_finding, streams))] if streams else [what])


def _finding(each: Plain) -> str:
    shares = [s["share"] for s in each["stories"] if s["share"] is not None]
    pure = sum(share == 1 for share in shares)
    return (
        f"On {each['stream']}, {each['articles']:,} articles from "
        f"{day(each['start'])} made {each['found']} stories. The number of "
        f"the {len(each['stories'])} largest that hold one true story alone is {pure}."
    )


def _figure(each: Plain) -> Figure:
    stories = each["stories"]
    most = max(max(story["sizes"]) for story in stories)
    layout: dict[str, Any] = {
        "showlegend": False,
        "annotations": [],
        "xaxis": {
            "title": {"text": "end of the slide"},
            "type": "date",
            "anchor": _axis("y", len(stories) - 1),
        },
    }
    for place, story in enumerate(stories):
        top, high = 1 - place / len(stories), 1 / len(stories)
        layout[_axis("yaxis", place)] = {
            "domain": [max(top - high, 0.0), top - high * (1 - _ROOM)],
            "range": [0, most],
            "tickvals": [0, most],
            "zeroline": False,
        }
        layout["annotations"].append(_words(story, top))
    return Figure(
        id=f"timeline-{each['stream']}",
        title=f"The {len(stories)} largest stories found in {each['stream']}",
        caption=(
            "Number of articles of each story in the window, at the end of every "
            f"slide, {day(each['start'])} to {day(each['end'])}; all lines have one "
            f"scale, up to {most} articles. System {OURS}, encoder {each['encoder']}."
        ),
        traces=[_line(each["ends"], story, i) for i, story in enumerate(stories)],
        layout=layout,
        alt=_finding(each),
        height=80 + 78 * len(stories),
    )


def _axis(letter: str, place: int) -> str:
    return letter if place == 0 else f"{letter}{place + 1}"


def _words(story: Plain, top: float) -> dict[str, Any]:
    """Return headline and keywords, above the line of a story."""
    headline, keywords = story["headline"], ", ".join(story["keywords"])
    return {
        "text": f"<b>{label(headline, 56)}</b><br>{label(keywords, 64)}",
        "x": 0, "xref": "paper", "xanchor": "left", "align": "left",
        "y": top, "yref": "paper", "yanchor": "top", "showarrow": False,
    }  # fmt: skip


def _line(ends: Sequence[str], story: Plain, place: int) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": label(story["headline"], 56),
        "x": list(ends),
        "y": story["sizes"],
        "line": {"shape": "hv", "width": 1.5, "dash": "solid"},
        "fill": "tozeroy",
        "hovertemplate": "%{x|%Y-%m-%d}: %{y} articles<extra></extra>",
        "yaxis": _axis("y", place),
        "meta": {"colour": place},
    }


def _table(each: Plain) -> Table:
    return Table(
        id=f"timeline-{each['stream']}-stories",
        title=f"The largest stories found in {each['stream']}",
        columns=("keywords", "articles", "first", "last", "true story", "share"),
        rows=[
            TableRow(
                name=shortened(story["headline"], 70),
                cells=[
                    Value(value=", ".join(story["keywords"])),
                    Value(value=story["articles"]),
                    Value(value=day(story["first"])),
                    Value(value=day(story["last"])),
                    Value(value=story["truth"]),
                    Value(value=story["share"], digits=2),
                ],
            )
            for story in each["stories"]
        ],
        note="Share: articles of the story that are of the true story most of them "
        "are of.",
    )


def _blocks(data: Mapping[str, Plain]) -> list[Block]:
    return [
        block for each in data["streams"] for block in (_figure(each), _table(each))
    ]


TIMELINE = CaseStudy(
    name="timeline",
    title="A timeline of the largest stories",
    paper="Fig. 9, left",
    task="ustory_bench.experiments.timeline:measure",
    text=lambda data: _text(data["streams"]),
    blocks=_blocks,
)
"""The experiment behind the left part of the paper's Fig. 9."""
