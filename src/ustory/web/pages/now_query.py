"""What the page Now is asked for: a search, filters, an order and a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from pydantic import ValidationError

from ustory.store.query import AGES, SIZES, StoryQuery
from ustory.web.api.stories import StoryFilter
from ustory.web.errors import ApiError
from ustory.web.feed_addresses import feed_of_list
from ustory.web.pages.formatting import with_query
from ustory.web.story_reader import check_text

PAGE = 30
"""Stories on a page."""
STATUSES = {"": "Live", "expired": "Ended", "merged": "Merged", "all": "Live and ended"}
SORTS = {
    "relevance": "Relevance",
    "heat": "Heat",
    "new": "Newest first",
    "recent": "Last article",
    "size": "Most articles",
}
SPANS = {
    "": "Any time",
    "6h": "Last 6 hours",
    "1d": "Last day",
    "3d": "Last 3 days",
    "7d": "Last week",
}
SIZE_WORDS = {
    "": "Any size",
    "small": "1 or 2 articles",
    "medium": "3 to 9 articles",
    "large": "10 articles or more",
}
ARTICLES = "articles"
"""The value of `show` for a list of articles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NowQuery:
    """The filters in the address; an empty one is not used."""

    q: str = ""
    show: str = ""
    """`articles` if a search lists articles instead of stories."""
    status: str = ""
    keyword: str = ""
    source: str = ""
    lang: str = ""
    size: str = ""
    within: str = ""
    since: str = ""
    until: str = ""
    sort: str = ""
    cursor: str = ""
    changed: str = ""
    """If set, only stories that changed since the reader's last visit."""

    @classmethod
    def of(cls, given: Mapping[str, str]) -> NowQuery:
        """Return the filters in a query; other parameters are ignored."""
        names = cls.__dataclass_fields__
        found = {name: given[name].strip() for name in names if name in given}
        asked = cls(**found)
        for name, value, known in (
            ("within", asked.within, AGES),
            ("size", asked.size, SIZES),
        ):
            if value and value not in known:
                raise ApiError(400, f"{name}: must be one of {', '.join(known)}")
        check_text(asked.q)
        # what a list shows anyway needs no place in its address
        usual = asked.status == "live" and not asked.q
        asked = replace(asked, status="" if usual else asked.status)
        no_words = asked.sort == "relevance" and not asked.q
        return replace(asked, sort="" if no_words else asked.sort)

    @property
    def is_filtered(self) -> bool:
        """Whether any filter is used."""
        return replace(self, sort="", cursor="", show="") != NowQuery()

    @property
    def order(self) -> str:
        """The name of the order that is used."""
        return self.sort or ("relevance" if self.q else "heat")

    @property
    def status_name(self) -> str:
        """The status that is shown, as the address writes it."""
        return "all" if self.q and not self.status else self.status

    def query(self, now: datetime) -> StoryQuery:
        """Return the query for the store; ApiError if it is invalid."""
        return self._filter(now).query()

    def twin(self, now: datetime) -> str:
        """Return the address of the same list as JSON."""
        given = self.given(now)
        if not self.q:
            return with_query("/api/stories", given)
        if self.show == ARTICLES:
            given["articles_cursor"] = given.pop("cursor", None)
        return with_query("/api/search", given)

    def given(self, now: datetime) -> dict[str, object]:
        """Return the same filters as the API takes them."""
        return self._filter(now).model_dump(
            mode="json", exclude_none=True, exclude_defaults=True
        )

    @property
    def feed(self) -> str:
        """The address of the same list as a feed; what is found last comes first."""
        order = "recent" if self.q else self.order
        return feed_of_list(asdict(replace(self, sort=order)), self._status())

    @property
    def as_search(self) -> str:
        """All of it as a search that can be watched; empty if it has no words.

        What a search cannot say (status, size, keyword) makes it empty, too.
        """
        if not self.q or self.size or self.keyword or self.status or self.within:
            return ""
        named = {
            "source": f'"{self.source}"' if self.source else "",
            "lang": self.lang,
            "after": self.since[:10],
            "before": self.until[:10],
        }
        filters = [f"{name}:{value}" for name, value in named.items() if value]
        return " ".join([self.q, *filters])

    def path(self, **changes: str) -> str:
        """Return the address of this list with some filters changed."""
        given = asdict(replace(self, **{"cursor": "", **changes}))
        return with_query("/", given)

    def _filter(self, now: datetime) -> StoryFilter:
        since = self.since
        if self.within and not since:
            start = now - AGES[self.within]
            since = start.isoformat(timespec="seconds").replace("+00:00", "Z")
        given = {
            "q": self.q,
            "status": self._status(),
            "keyword": self.keyword,
            "source": self.source,
            "lang": self.lang,
            "size": self.size,
            "since": since,
            "until": self.until,
            "sort": self.order,
            "cursor": "" if self.changed else self.cursor,
            "limit": PAGE,
        }
        try:
            return StoryFilter.model_validate({k: v for k, v in given.items() if v})
        except ValidationError as error:
            first = error.errors()[0]
            said = first["msg"].removeprefix("Value error, ")
            raise ApiError(400, f"{first['loc'][0]}: {said}") from None

    def _status(self) -> str:
        """Return the status for the API; a search includes ended stories."""
        name = self.status_name
        return "" if name == "all" else name or "live"


def kept_fields(asked: NowQuery, *but: str) -> dict[str, str]:
    """Return the filters that a form sends along: all but its own and the page."""
    given = asdict(replace(asked, cursor="", changed=""))
    return {name: v for name, v in given.items() if v and name not in but}
