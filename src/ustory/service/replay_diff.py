"""A slide told again, held against what was written down of it."""

from __future__ import annotations

from dataclasses import asdict, replace

from sqlalchemy import select

from ustory.service.slide_runner import SlideOutcome
from ustory.service.to_json import plain
from ustory.service.writing import decision_rows, event_rows
from ustory.store import Store
from ustory.store.columns import canonical
from ustory.store.mapping import load_all
from ustory.store.results import decisions_of_slide
from ustory.store.tables import EventRow, events


def differences(store: Store, told: SlideOutcome) -> list[str]:
    """Return what the archive says otherwise than a slide that was told again."""
    number = told.task.number
    with store.read() as connection:
        query = select(events).where(events.c.slide == number, events.c.story != "")
        ledger = load_all(connection, query.order_by(events.c.id), EventRow)
        decided = {d.article: d for d in decisions_of_slide(connection, number)}
    problems = []
    wanted_events = event_rows(told.events, number)
    if list(map(_plain_event, ledger)) != list(map(_plain_event, wanted_events)):
        problems.append(f"the events of slide {number} are not those that it tells")
    for wanted in decision_rows(told, told.places):
        found = decided.get(wanted.article)
        if found is None or canonical(asdict(found)) != canonical(asdict(wanted)):
            problems.append(
                f"the decision on article {wanted.article!r} in slide {number} is not "
                "the one that it makes"
            )
    return problems


def _plain_event(event: EventRow) -> str:
    return canonical(plain(asdict(replace(event, id=0))))
