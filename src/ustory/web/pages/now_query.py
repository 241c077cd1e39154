"""Which stories a reader of Now asks for, from the address of the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

from pydantic import ValidationError

from ustory.store.listing import StoryQuery
from ustory.web.api.stories import StoryFilter
from ustory.web.errors import ApiError
from ustory.web.pages.links import with_query

PAGE = 30
"""Stories on a page."""
STATUSES = {"": "Live", "expired": "Ended", "merged": "Merged", "all": "Live and ended"}
SORTS = {
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
_HOURS = {"6h": 6, "1d": 24, "3d": 72, "7d": 168}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The filters as they were given; an empty one lets all pass."""

    q: str = ""
    status: str = ""
    keyword: str = ""
    source: str = ""
    lang: str = ""
    within: str = ""
    since: str = ""
    until: str = ""
    sort: str = ""
    cursor: str = ""
    changed: str = ""
    """Not empty: only what changed since the reader last looked."""

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Asked:
        """Return the filters in a query; what else is there does not matter."""
        names = cls.__dataclass_fields__
        found = {name: given[name].strip() for name in names if name in given}
        asked = cls(**found)
        if asked.within not in SPANS:
            raise ApiError(400, f"within: must be one of {', '.join(_HOURS)}")
        return asked

    @property
    def is_filtered(self) -> bool:
        """Whether fewer stories may be shown than there are."""
        return replace(self, sort="", cursor="") != Asked()

    @property
    def has_more(self) -> bool:
        """Whether one of the filters is used that are not always in sight."""
        return any((self.source, self.lang, self.keyword, self.since, self.until))

    def query(self, now: datetime) -> StoryQuery:
        """Return the question as the store takes it; ApiError in words if it is bad."""
        return self._filter(now).query()

    def twin(self, now: datetime) -> str:
        """Return the address of the same list as JSON."""
        asked = self._filter(now).model_dump(mode="json", exclude_none=True)
        return with_query("/api/stories", asked)

    def path(self, **changes: str) -> str:
        """Return the address of this list with some filters changed."""
        given = asdict(replace(self, **{"cursor": "", **changes}))
        return with_query("/", given)

    def _filter(self, now: datetime) -> StoryFilter:
        since = self.since
        if self.within and not since:
            start = now - timedelta(hours=_HOURS[self.within])
            since = start.isoformat(timespec="seconds").replace("+00:00", "Z")
        given = {
            "q": self.q,
            "status": self._status(),
            "keyword": self.keyword,
            "source": self.source,
            "lang": self.lang,
            "since": since,
            "until": self.until,
            "sort": self.sort or "heat",
            "cursor": self.cursor,
            "limit": PAGE,
        }
        try:
            return StoryFilter.model_validate({k: v for k, v in given.items() if v})
        except ValidationError as error:
            first = error.errors()[0]
            raise ApiError(400, f"{first['loc'][0]}: {first['msg']}") from None

    def _status(self) -> str:
        """Return the status for the API; who searches means all there ever was."""
        if self.status == "all" or (not self.status and self.q):
            return ""
        return self.status or "live"
