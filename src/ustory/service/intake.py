"""Articles come in: identity, dates and slide are fixed before it is acknowledged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock

from ustory.core.article import Article
from ustory.service.backpressure import MAX_WAITING, Full, LeftOut, refuse_when_full
from ustory.service.claimed_dates import OLDEST, Dates, claim_of, dates_of
from ustory.service.clock import Clock
from ustory.service.content import address_of, fingerprint, refusal, tidied
from ustory.service.known import KnownArticle, KnownArticles, ids_of
from ustory.service.recent import Recent
from ustory.service.recovery import set_clock
from ustory.service.slide_schedule import MAX_IN_SLIDE, SlideSchedule, close_open
from ustory.sources.origins import Sites, is_claimed, is_guest
from ustory.store import Connection, Store
from ustory.store.articles import (
    add_revisions,
    give_to,
    insert_articles,
    let_go_texts,
    next_seq,
)
from ustory.store.feeds import feed_urls, put_cursor
from ustory.store.slides import waiting_articles
from ustory.store.tables import ArticleRow, RevisionRow
from ustory.store.withdraw import withdrawn
from ustory.window.panes import Calendar

NEW, KNOWN, EDITED, REFUSED = "new", "known", "edited", "refused"

WITHDRAWN = (
    "it was withdrawn from this archive, and does not come back; see "
    "`ustory db withdraw`"
)
_OTHERS = (
    "another origin brought the article of this address, so its text was left as it "
    "is; it can be changed by that origin, or by a feed of the article's own site"
)
_SITES_OWN = (
    "a feed of the article's own site is read here, so its text was left as it is; "
    "only feeds of that site can change it"
)
_TOO_OFTEN = (
    "the article was changed {:,} times, which is the most there may be; its newest "
    "text stays"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What became of an article that was handed in."""

    article: str
    """Its id in the archive, which may not be the one it came with."""
    outcome: str
    """`new`, `known` (nothing was done), `edited` or `refused`."""
    seq: int | None = None
    """The intake number of what was written, of the first text where it is known."""
    slide: int | None = None
    """The slide it belongs to."""
    story: str | None = None
    """Its story: the one it has, or provisionally the one it is likely to get."""
    probability: float | None = None
    """That it is of the story, where the answer is provisional."""
    reason: str | None = None
    """Why it was refused, or known and yet left as it was, in words."""

    @property
    def is_problem(self) -> bool:
        """Whether it was refused and somebody should hear of it.

        Of what was withdrawn nobody does: a problem would name it again.
        """
        return self.outcome == REFUSED and self.reason != WITHDRAWN


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeLimits:
    """How much may wait, and how old news may be."""

    waiting: int = MAX_WAITING
    slide: int = MAX_IN_SLIDE
    oldest: timedelta = OLDEST
    revisions: int = 1_000
    """Texts that an article may have had."""
    texts: int = 20
    """Newest of them that are kept, besides those that slides read."""


class Intake:
    """The door of the archive, for any number of threads.

    A batch is one transaction, its source's cursor included: what was
    acknowledged is never lost, and what was not can be sent again.
    """

    def __init__(
        self,
        store: Store,
        calendar: Calendar,
        clock: Clock,
        limits: IntakeLimits | None = None,
    ) -> None:
        self._store = store
        self._calendar = calendar
        self._clock = clock
        self.limits = limits or IntakeLimits()
        self._turn = Lock()
        self.after_commit: Callable[[Sequence[Receipt]], None] | None = None
        """Called after each batch that was taken in, in the caller's thread."""
        self.left_out = LeftOut()
        self.before: Callable[[], None] | None = None
        """Called before each batch; what it raises refuses the batch."""
        set_clock(store, clock)

    def accept(
        self,
        articles: Sequence[Article],
        origin: str,
        cursor: str | None = None,
        also: Callable[[Connection], None] | None = None,
    ) -> list[Receipt]:
        """Take in a batch and return a receipt for each article, in order.

        `cursor` is where `origin` stands after the batch; `also` may write more in
        the same transaction. Raises Full where too much is waiting, and Unavailable
        where the database cannot be written to; nothing was taken in then.
        """
        try:
            receipts = self._accept(articles, origin, cursor, also)
        except Full:
            self.left_out.turn_away(len(articles))
            raise
        self.left_out.refuse(sum(each.outcome == REFUSED for each in receipts))
        return receipts

    def _accept(
        self,
        articles: Sequence[Article],
        origin: str,
        cursor: str | None,
        also: Callable[[Connection], None] | None,
    ) -> list[Receipt]:
        if self.before is not None:
            self.before()
        tidy = [tidied(article) for article in articles]
        with self._turn:  # else threads would poll for the database's own lock
            with self._store.write() as connection:
                now = self._clock()
                refuse_when_full(connection, len(tidy), now, self.limits.waiting)
                batch = _IntakeBatch(self, connection, origin, now)
                receipts = batch.take(tidy)
                if cursor is not None:
                    put_cursor(connection, origin, cursor, batch.now)
                if also is not None:
                    also(connection)
            self._clock.reached(batch.now)
        if self.after_commit is not None:
            self.after_commit(receipts)
        return receipts

    def check_room(self, coming: int = 1) -> None:
        """Raise Full where so many articles would be refused now.

        For those who would have to fetch them first.
        """
        if self.before is not None:
            self.before()
        with self._store.read() as connection:
            now = self._clock()
            refuse_when_full(connection, coming, now, self.limits.waiting)

    def close_open(self) -> bool:
        """Close the open slide before its time, at the end of a stream.

        Return whether there was one that has anything.
        """
        with self._turn:
            return close_open(self._store, self._calendar)

    def last_seq(self) -> int:
        """Return the number of the last text that came in."""
        with self._store.read() as connection:
            return next_seq(connection) - 1

    def waiting(self) -> int:
        """Return how many texts were taken in and are in no slide that is done."""
        with self._store.read() as connection:
            return waiting_articles(connection)

    def schedule(self, connection: Connection) -> SlideSchedule:
        """Return the slides, for a transaction that writes."""
        return SlideSchedule(connection, self._calendar, self.limits.slide)

    def recent(self, connection: Connection, origin: str) -> Recent:
        """Return what came in last, for a transaction that writes."""
        window = timedelta(microseconds=self._calendar.window)
        return Recent(connection, window, origin)

    def after(self, now: datetime, claim: datetime) -> datetime:
        """Return the time when an article comes in that claims a date."""
        return self._clock.after(now, claim)


@dataclass(slots=True)
class _IntakeBatch:
    """A batch on its way into the tables. Mutable, and gone with its transaction."""

    intake: Intake
    connection: Connection
    origin: str
    now: datetime
    new: list[ArticleRow] = field(default_factory=list)
    texts: list[RevisionRow] = field(default_factory=list)
    recent: Recent = field(init=False)
    sites: Sites | None = None
    """Those of the feeds that are read, once they were asked for."""

    def take(self, articles: Sequence[Article]) -> list[Receipt]:
        reasons = self._reasons(articles)
        good = [a for a, why in zip(articles, reasons, strict=True) if why is None]
        known = KnownArticles(self.connection, good, self.origin)
        schedule = self.intake.schedule(self.connection)
        following = next_seq(self.connection)
        self.recent = self.intake.recent(self.connection, self.origin)
        receipts = []
        for article, reason in zip(articles, reasons, strict=True):
            seq = following + len(self.texts)
            if reason is not None:
                receipts.append(
                    Receipt(article=article.id, outcome=REFUSED, reason=reason)
                )
                continue
            entry = known.find(article)
            if entry is None:
                receipts.append(self._add(article, seq, known, schedule))
            elif fingerprint(article) in entry.contents:
                receipts.append(_receipt(entry, KNOWN, entry.seq))
            elif (why := self._why_kept(entry)) is not None:
                receipts.append(_receipt(entry, KNOWN, entry.seq, why))
            elif entry.revisions >= self.intake.limits.revisions:
                said = _TOO_OFTEN.format(entry.revisions)
                receipts.append(_receipt(entry, REFUSED, entry.seq, said))
            else:
                receipts.append(self._edit(article, seq, entry, schedule))
        insert_articles(self.connection, self.new)
        add_revisions(self.connection, self.texts)
        edited = [text.article for text in self.texts if text.number > 1]
        let_go_texts(self.connection, edited, self.intake.limits.texts)
        return receipts

    def _reasons(self, articles: Sequence[Article]) -> list[str | None]:
        """Return why each article cannot be taken in, None where it can."""
        names = [_names_of(article, self.origin) for article in articles]
        gone = withdrawn(self.connection, [name for some in names for name in some])
        return [
            refusal(article) or (WITHDRAWN if gone.intersection(some) else None)
            for article, some in zip(articles, names, strict=True)
        ]

    def _why_kept(self, entry: KnownArticle) -> str | None:
        """Return why the origin cannot change an article, None where it can."""
        if not entry.edited_by(self.origin):
            return _OTHERS
        if not is_guest(self.origin, entry.address):
            return None
        if self.sites is None:  # once, for feeds may be many
            self.sites = Sites(feed_urls(self.connection))
        return _SITES_OWN if self.sites.speak_for(entry.address) else None

    def _add(
        self,
        article: Article,
        seq: int,
        known: KnownArticles,
        schedule: SlideSchedule,
    ) -> Receipt:
        dates = self._dates(article)
        slide = schedule.slide_at(self.now, seq)
        content = fingerprint(article)
        row = ArticleRow(
            id=known.free_id(article, seq),
            seq=seq,
            slide=slide.number,
            published_at=dates.published_at,
            claimed_at=dates.claimed_at,
            date_flag=dates.flag,
            fetched_at=dates.fetched_at,
            fingerprint=content,
            title=article.title,
            url=article.url,
            address=address_of(article),
            source=article.source,
            lang=article.lang,
            authors=article.authors,
            origin=self.origin,
        )
        entry = KnownArticle(
            id=row.id,
            seq=seq,
            slide=row.slide,
            address=row.address,
            origin=row.origin,
            claimed=is_claimed(row.source, row.origin),
            contents={content},
        )
        known.add(entry)
        self.recent.add(row)
        self.new.append(row)
        self.texts.append(_revision(article, entry, seq, slide.number, self.now))
        return _receipt(entry, NEW, seq)

    def _dates(self, article: Article) -> Dates:
        """Return the dates of an article, and let the time go on where they say so."""
        claim = claim_of(article)
        then = self.now if claim is None else self.intake.after(self.now, claim)
        if then > self.now and self.recent.can_move(then, article.source):
            self.now = then
        oldest, window = self.intake.limits.oldest, self.recent.window
        dates = self.recent.checked(dates_of(article, self.now, oldest, window))
        self.now = max(self.now, dates.published_at)
        return dates

    def _edit(
        self, article: Article, seq: int, entry: KnownArticle, schedule: SlideSchedule
    ) -> Receipt:
        """Add a text; the article keeps its slide and its date.

        Where that slide is closed, the one that is open links the article anew. It
        becomes its own site's only while its slide is open: what a slide that is
        closed has read must never change, or a replay would see another source.
        """
        slide = schedule.slide_at(self.now, seq)
        if entry.origin != self.origin and slide.number == entry.slide:
            self._hand_over(article, entry)
        entry.revisions += 1
        entry.contents.add(fingerprint(article))
        self.texts.append(_revision(article, entry, seq, slide.number, self.now))
        return _receipt(entry, EDITED, seq)

    def _hand_over(self, article: Article, entry: KnownArticle) -> None:
        """Let the article's own site have it: who brought it has no say any more."""
        source = article.source
        give_to(self.connection, entry.id, origin=self.origin, source=source)
        entry.origin = self.origin
        entry.claimed = is_claimed(article.source, self.origin)


def _names_of(article: Article, origin: str) -> list[str]:
    """Return what an article would be known again by, had it been withdrawn."""
    address = address_of(article)
    if address is not None:
        return [address, fingerprint(article)]
    own = [f"{origin}\0{name}" for name in ids_of(article, origin)]
    return [*own, fingerprint(article)]


def _revision(
    article: Article, entry: KnownArticle, seq: int, slide: int, now: datetime
) -> RevisionRow:
    return RevisionRow(
        seq=seq,
        article=entry.id,
        number=entry.revisions,
        slide=slide,
        fetched_at=min(article.fetched_at or now, now),
        fingerprint=fingerprint(article),
        title=article.title,
        text=article.text,
    )


def _receipt(
    entry: KnownArticle, outcome: str, seq: int, reason: str | None = None
) -> Receipt:
    return Receipt(
        article=entry.id,
        outcome=outcome,
        seq=seq,
        slide=entry.slide,
        story=entry.story,
        reason=reason,
    )
