"""HTML in which nothing can be left unescaped: plain text is not markup."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from ustory_bench.report.names import clean, printable

_VOID = {"meta", "col", "br"}


class Markup(str):
    """Text that is HTML already; anything else is escaped where it is put."""

    __slots__ = ()


def join(parts: Iterable[str]) -> Markup:
    """Return the parts one after another, those that are plain text escaped."""
    return Markup("".join(_markup(part) for part in parts))


def element(name: str, /, *children: str, **attributes: str | int | None) -> Markup:
    """Return an element; `class_` stands for class, `aria_label` for aria-label.

    An attribute that is None is left out.

    >>> element("td", "a < b", class_="number")
    '<td class="number">a &lt; b</td>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(clean(str(value)))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Markup(f"<{name}{given}>")
    return Markup(f"<{name}{given}>{join(children)}</{name}>")


def paragraphs(text: str) -> Markup:
    """Return the text's paragraphs, which blank lines part."""
    found = [printable(part) for part in text.replace("\r\n", "\n").split("\n\n")]
    return join(element("p", part) for part in found if part)


def _markup(part: str) -> str:
    return part if isinstance(part, Markup) else escape(clean(part))
