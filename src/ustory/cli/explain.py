"""`ustory explain`: why an article is in its story, and not in another."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from ustory.cli.console import results
from ustory.core.errors import ConfigError
from ustory.core.story import LinkDecision, ThemeDecision
from ustory.core.wording import utc_text
from ustory.engine.state import Record, State
from ustory.stories.discovery import Discovery
from ustory.stories.reasons import ReasonPlace, StoryLabel, reasons_of

_MAX_SENTENCES = 3
"""Most and least relevant sentences that are shown, as in the paper's Table 3."""


@click.command()
@click.argument("article")
@click.option(
    "--state",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    metavar="FILE",
    help="What `ustory discover --state` wrote.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def explain(article: str, state: Path, as_json: bool) -> None:
    """Say why ARTICLE, an id, is where it is."""
    explanation = explain_article(state, article)
    if as_json:
        click.echo(json.dumps(explanation.to_dict(), ensure_ascii=False))
    else:
        print_explanation(explanation)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedArticle:
    """An article, the decision on it, and the stories that the decision may name."""

    article: Record
    decision: LinkDecision | ThemeDecision
    names: Mapping[str, StoryLabel]

    def reasons(self) -> list[str]:
        """Return the decision as sentences for people."""
        decision = self.decision
        place = ReasonPlace(decision.story, decision.how, decision.decided_at)
        return reasons_of(place, decision, self.names).texts

    def sentences(self) -> tuple[list[int], list[int]]:
        """Return the numbers of the most and of the least relevant sentences.

        Both by falling weight; no sentence is in both. Empty without weights.
        """
        weights = self.decision.weights
        ranked = sorted(range(len(weights)), key=lambda n: (-weights[n], n))
        most = min(_MAX_SENTENCES, -(-len(ranked) // 2))
        least = min(_MAX_SENTENCES, len(ranked) - most)
        return ranked[:most], ranked[len(ranked) - least :]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        decision, article = self.decision, self.article
        weights = decision.weights or (0.0,) * len(article.sentences)
        values = asdict(decision)
        del values["weights"]
        return {
            "article": article.id,
            "title": article.title,
            "published_at": utc_text(article.published_at),
            **values,
            "decided_at": utc_text(decision.decided_at),
            "confidence": decision.confidence,
            "reasons": self.reasons(),
            "sentences": [
                {"number": number, "weight": weight, "text": text}
                for number, (weight, text) in enumerate(
                    zip(weights, article.sentences, strict=True)
                )
            ],
        }


def explain_article(path: Path, article: str) -> ExplainedArticle:
    """Return why an article in the window of a saved run is where it is."""
    discovery, extra = Discovery.load(path)
    deque(discovery.finish(), maxlen=0)  # the slide that was still open
    decision = discovery.decision(article)
    if decision is None:
        raise ConfigError(_unknown(discovery.state, article, path))
    saved = {record["id"]: record["headline"] for record in extra.get("stories", ())}
    gone = {
        each["id"]: StoryLabel(each["headline"], each["status"])
        for each in extra.get("gone", ())
    }
    live = {s.id: StoryLabel(saved.get(s.id, s.headline)) for s in discovery.stories()}
    named = filter(None, (decision.story, decision.best, decision.runner_up))
    unknown = {story: StoryLabel(status="expired") for story in named}
    record = discovery.state.records[article]
    return ExplainedArticle(
        article=record, decision=decision, names={**unknown, **gone, **live}
    )


def print_explanation(explanation: ExplainedArticle) -> None:
    """Print the decision in words, then the sentences that speak for it."""
    console = results()
    article = explanation.article
    console.print(f"{article.id}: {article.title or '(no title)'}", style="bold")
    console.print(f"published {utc_text(article.published_at)}\n")
    for reason in explanation.reasons():
        console.print(reason)
    most, least = explanation.sentences()
    if not most:
        console.print("\nNo sentence is on the theme of a story.")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("s#", "weight", "sentence"):
        table.add_column(title, no_wrap=title != "sentence")
    for number in most:
        table.add_row(*_sentence(explanation, number))
    if least and len(most) + len(least) < len(article.sentences):
        table.add_row("…", "…", "…")
    for number in least:
        table.add_row(*_sentence(explanation, number))
    console.print("\nThe sentences most and least on the story's theme:")
    console.print(table)


def _sentence(explanation: ExplainedArticle, number: int) -> tuple[str, str, str]:
    weight = explanation.decision.weights[number]
    return f"s{number:02d}", f"{weight:.3f}", explanation.article.sentences[number]


def _unknown(state: State, article: str, where: Path) -> str:
    ids = list(state.records)
    if state.end is None or not ids:
        return f"there is no article in the window of {where}; run `ustory discover` on"
    oldest = min(record.published_at for record in state.records.values())
    close = get_close_matches(article, ids, n=3, cutoff=0.6)
    hint = f"; similar ids are: {', '.join(close)}" if close else ""
    return (
        f"no article {article!r} in the window of {where}, which holds {len(ids):,} "
        f"articles from {utc_text(oldest)} to {utc_text(state.end)}: it has left the "
        f"window, or was never read{hint}"
    )
