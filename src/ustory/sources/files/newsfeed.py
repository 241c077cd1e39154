"""Newsfeed14: the English articles of Miranda et al. (EMNLP 2018), labelled.

`dataset.dev.json` and `dataset.test.json` are each one JSON list of articles with
`id`, `date`, `lang`, `title`, `text` and `cluster`, the true story.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ustory.sources.files.dataset import Found, Layout, Spot
from ustory.sources.records.place import shown

_ENGLISH = "eng"


def _records(value: Mapping[str, object], spot: Spot) -> Iterator[Found]:
    """Yield the article if it is English; the others are no part of the stream."""
    lang, cluster = value.get("lang"), value.get("cluster")
    if not isinstance(lang, str):
        reason = f"`lang` must be a language like eng; got {shown(lang)}"
        yield spot, spot.problem("bad-field", reason)
    elif lang == _ENGLISH and cluster in (None, ""):
        reason = (
            f"`cluster` must name the true story; got {shown(cluster)}: articles "
            "without a label are no part of this data set"
        )
        yield spot, spot.problem("bad-field", reason)
    elif lang == _ENGLISH:
        yield spot, {**value, "lang": "en"}


NEWSFEED = Layout(
    name="Newsfeed14", unit="article", needs=("lang", "cluster"), records=_records
)
