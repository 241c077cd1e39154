"""What `format: opml` of the OpenAPI document means, for schemathesis."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

import schemathesis
from hypothesis import strategies as st

_NAMES = st.text(
    st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), max_size=30
)
_HOSTS = st.from_regex(r"[a-z0-9]{1,20}\.example", fullmatch=True)


@st.composite
def opml(draw: st.DrawFn) -> str:
    """Return a list of feeds as feed readers write it."""
    outlines = [
        f'<outline type="rss" text={quoteattr(draw(_NAMES))} '
        f'xmlUrl="https://{draw(_HOSTS)}/rss"/>'
        for _ in range(draw(st.integers(1, 4)))
    ]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<opml version="2.0"><body>{"".join(outlines)}</body></opml>'
    )


schemathesis.openapi.format("opml", opml())
