"""Table 3: the sentences that counted for a few articles, and those that did not."""

from __future__ import annotations

from collections.abc import Sequence

from ustory.core.errors import ConfigError
from ustory.core.story import Story
from ustory.engine.state import Record
from ustory.stories.live import central, live_stories
from ustory_bench.experiments.pictures import percent, shortened
from ustory_bench.experiments.run_ustory import OURS, CaseStudy, run_ustory
from ustory_bench.experiments.segments import busiest
from ustory_bench.report.blocks import Table, TableRow, Value
from ustory_bench.runner.jobs import Inputs, Plain
from ustory_bench.runner.score import duration

ARTICLES = 3
"""Shown: one of each of the liveliest stories."""
ENDS = 3
"""Sentences shown of each end."""
LEAST = 8
"""Sentences that an article has which is shown."""
_TITLE, _SENTENCE = 70, 180


def measure(inputs: Inputs) -> Plain:
    """Return the weights of the sentences of central articles of found stories."""
    stretch = busiest(inputs.stream, duration(inputs.settings.window), inputs.settings)
    ran = run_ustory(inputs, stretch.articles)
    shown: list[Plain] = []
    for story in live_stories(ran.last, ran.settings):
        records = [ran.last.records[id_] for id_ in story.articles]
        long = [record for record in records if len(_weights(record)) >= LEAST]
        if long and story.vector is not None and len(shown) < ARTICLES:
            shown.append(_article(story, central(long, story.vector)))
    if not shown:
        raise ConfigError(
            f"the table of sentences needs an article of {LEAST} sentences in a found "
            f"story; the busiest window of {inputs.stream.name} has none: give longer "
            "articles"
        )
    return {"articles": shown}


def _weights(record: Record) -> tuple[float, ...]:
    return record.decision.weights if record.decision is not None else ()


def _article(story: Story, record: Record) -> Plain:
    """Return the sentences of both ends, heaviest first.

    Of sentences that weigh the same, the one that comes first in the article is first.
    """
    weights = _weights(record)
    order = sorted(range(len(weights)), key=lambda i: (-weights[i], i))
    return {
        "title": shortened(record.title, _TITLE),
        "story": shortened(story.headline, _TITLE),
        "keywords": list(story.keywords[:5]),
        "sentences": len(weights),
        "unused": sum(weight == 0 for weight in weights),
        "rows": [
            {
                "place": place,
                "weight": round(weights[place], 6),
                "text": shortened(record.sentences[place], _SENTENCE),
            }
            for place in (*order[:ENDS], *order[-ENDS:])
        ],
    }


def _text(streams: Sequence[Plain]) -> str:
    what = (
        "An article joins a story by the sentences that speak of the story's theme, "
        "each with the weight of the keywords in it (Eq. 2). Here are the three "
        "sentences that weighed most and the three that weighed least, of the most "
        f"central article with {LEAST} sentences or more in each of the liveliest "
        f"stories that {OURS} found in the busiest window of the stream. s0 is the "
        "title, where there is one."
    )
    return "\n\n".join([what, " ".join(map(_finding, streams))] if streams else [what])


def _finding(each: Plain) -> str:
    articles = each["articles"]
    top = sum(row["weight"] for one in articles for row in one["rows"][:ENDS])
    unused = sum(one["unused"] for one in articles)
    total = sum(one["sentences"] for one in articles)
    return (
        f"On {each['stream']} the three heaviest sentences carry "
        f"{percent(top / len(articles), 0)} of an article's weight on average, and "
        f"{unused} of {total} sentences have none."
    )


def _table(each: Plain) -> Table:
    return Table(
        id=f"sentences-{each['stream']}",
        title=f"Sentences that counted most and least, {each['stream']}",
        columns=("weight", "sentence"),
        rows=[
            TableRow(
                name=f"s{row['place']}",
                cells=[Value(value=row["weight"]), Value(value=row["text"])],
                block=f"{one['title']} (keywords: {', '.join(one['keywords'])})",
            )
            for one in each["articles"]
            for row in one["rows"]
        ],
        note=(
            "Weights are the theme relevance of Eq. 2 when the article was assigned "
            "and sum to 1 over all sentences of an article; keywords are the story's "
            "now. Long sentences are cut."
        ),
    )


SENTENCES = CaseStudy(
    name="sentences",
    title="The sentences that counted",
    paper="Table 3",
    task="ustory_bench.experiments.sentences:measure",
    text=lambda data: _text(data["streams"]),
    blocks=lambda data: [_table(each) for each in data["streams"]],
)
"""The experiment behind the paper's Table 3."""
