"""Articles whose every field is an attack; they tell the stories of the demo."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle

from ustory.core.article import Article
from ustory.sources.demo import demo_stream
from ustory.sources.open import open_source

_RUN = "window.__hacked=1;alert(1)"
ATTACKS = (
    f"<script>{_RUN}</script>",
    f'"><img src=x onerror="{_RUN}">',
    f"'><svg onload='{_RUN}'>",
    f"</script></title></style></textarea><script>{_RUN}</script>",
    f"<iframe srcdoc='<script>parent.{_RUN}</script>'></iframe>",
    f"<a href='javascript:{_RUN}'>here</a>",
    "{{ 7 * 7 }} {% for x in () %} ${7*7} #{7*7} <%= 7*7 %>",
    "\u202egnihtyreve sesrever siht\u2066 \u200f",
    "W" * 10_000,
    "<style>*{display:none}</style><link rel=stylesheet href=//evil.example>",
    "<base href='https://evil.example/'><meta http-equiv=refresh content='0;url=/'>",
    "]]>--><!-- &lt;b&gt; \x00\x0b\u2028 \ud800 %00 ../../etc/passwd",
    f"<form action=//evil.example><button formaction='javascript:{_RUN}'>x</button>",
    f"<details open ontoggle='{_RUN}'><summary>x</summary></details>",
)
LINKS = (
    f"javascript:{_RUN}",
    f"JaVaScRiPt:{_RUN}//https://a.example",
    f" \tjava\nscript:{_RUN}",
    f"data:text/html,<script>{_RUN}</script>",
    "vbscript:msgbox(1)",
    f'https://news.example/"onmouseover="{_RUN}',
    "file:///etc/passwd",
    "//evil.example/",
)
WORD = "onerror" + "x" * 10_000
"""A word of ten thousand letters that many articles share, so that it is a keyword."""
NAME = f'"><img src=x onerror="{_RUN}">'
KEYWORDS = (*ATTACKS[:8], "earthquake")


def hostile_articles() -> list[Article]:
    """Return the articles of the demo, with attacks in all that they bring."""
    attacks, links = cycle(ATTACKS), cycle(LINKS)
    return [
        _poisoned(each.article, next(attacks), next(links))
        for each in open_source(str(demo_stream())).read()
    ]


def _poisoned(article: Article, attack: str, link: str) -> Article:
    first, *rest = article.text.split("\n")
    text = "\n".join([f"{WORD} {attack} {first}", attack, *rest, f"{WORD} {attack}"])
    return replace(
        article,
        id=f"{attack[:200]}/{article.id}",
        title=f"{attack} {article.title}",
        text=text,
        url=f"{link}/{article.id}",  # one address is one article
        source=f"{attack[:60]} {article.source}",
        lang=f"{attack[:30]}",
        authors=(attack, NAME),
    )
