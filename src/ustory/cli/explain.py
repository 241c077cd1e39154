"""`ustory explain`: why an article is in its story, and not in another."""

from __future__ import annotations

import json
from collections import deque
from difflib import get_close_matches
from pathlib import Path

import click
from rich.table import Table

from ustory.cli.console import results
from ustory.cli.reasons import Explanation
from ustory.core.errors import ConfigError
from ustory.core.wording import utc_text
from ustory.engine.state import State
from ustory.stories.discovery import Discovery


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


def explain_article(path: Path, article: str) -> Explanation:
    """Return why an article in the window of a saved run is where it is."""
    discovery, extra = Discovery.load(path)
    deque(discovery.finish(), maxlen=0)  # the slide that was still open
    decision = discovery.decision(article)
    if decision is None:
        raise ConfigError(_unknown(discovery.state, article, path))
    told = {record["id"]: record["headline"] for record in extra.get("stories", ())}
    return Explanation(
        article=discovery.state.records[article],
        decision=decision,
        live={s.id: told.get(s.id, s.headline) for s in discovery.stories()},
        gone={record["id"]: record["headline"] for record in extra.get("gone", ())},
        settings=discovery.settings,
    )


def print_explanation(explanation: Explanation) -> None:
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


def _sentence(explanation: Explanation, number: int) -> tuple[str, str, str]:
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
