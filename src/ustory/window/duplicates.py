"""The rule about ids: no two articles of a window have the same one."""

from __future__ import annotations

from collections.abc import Container, Iterable

from ustory.core.errors import InputError


def refuse_duplicates(ids: Iterable[str], held: Container[str], where: str) -> None:
    """Raise InputError for the first id that is in `held`, or comes twice.

    The ids are compared in order of text, so that the order of a slide's articles
    does not choose which error is raised. `where` is what the error calls the input.
    """
    before = None
    for article_id in sorted(ids):
        if article_id == before or article_id in held:
            raise InputError(
                "duplicate-id",
                f"an article with id {article_id!r} is already in the window; ids must "
                "be unique, leave one of the two out",
                file=where,
                line=0,
            )
        before = article_id
