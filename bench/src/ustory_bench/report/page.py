"""The report as one page that needs nothing else: no server, no network."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from ustory.core.errors import MissingExtraError
from ustory_bench.report.blocks import Block, Section, Table
from ustory_bench.report.files import write_text
from ustory_bench.report.html_figure import figure_html, safe_json
from ustory_bench.report.html_table import table_html
from ustory_bench.report.markup import Markup, element, join, paragraphs
from ustory_bench.report.names import printable, safe_name
from ustory_bench.report.palette import DARK, LIGHT, style_of
from ustory_bench.report.theme import look_of
from ustory_bench.report.wellformed import check_sections


def write_page(
    title: str, about: Mapping[str, str], sections: Sequence[Section], path: Path
) -> None:
    """Write the page; `about` is what a reader must know of the run, by name."""
    check_sections(sections)
    write_text(path, page_html(title, about, sections))


def page_html(
    title: str, about: Mapping[str, str], sections: Sequence[Section]
) -> Markup:
    """Return the page with its styles, its scripts and Plotly in it."""
    scripts = [Markup(_plotly()), Markup(_asset("page.js"))]
    head = _head(printable(title), [Markup(_asset("early.js")), *scripts])
    main = element("main", *map(_section, sections), id="page-main", tabindex=-1)
    looks = {"light": look_of(LIGHT), "dark": look_of(DARK)}
    body = element(
        "body",
        element("a", "Skip to the report", href="#page-main", class_="skip"),
        _header(title, about),
        _contents(sections),
        main,
        element("script", safe_json(looks), type="application/json", id="page-looks"),
        *(element("script", script) for script in scripts),
    )
    return Markup(f"<!doctype html>\n{element('html', head, body, lang='en')}\n")


def _head(title: str, scripts: Sequence[Markup]) -> Markup:
    style = Markup(style_of(LIGHT, DARK) + _asset("page.css"))
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_rules(scripts)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        element("style", style),
        element("script", scripts[0]),
    )


def _rules(scripts: Sequence[Markup]) -> str:
    """Return what the browser may do: run these scripts, and ask nobody anything."""
    known = " ".join(
        f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"
        for script in scripts
    )
    return (
        f"default-src 'none'; script-src {known}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _contents(sections: Sequence[Section]) -> Markup:
    entries = (
        element(
            "li",
            element(
                "a",
                element("span", printable(section.title)),
                " ",
                element("small", printable(section.paper)),
                href=f"#section-{safe_name(section.id)}",
            ),
        )
        for section in sections
    )
    return element(
        "nav",
        element("h2", "Contents", id="page-contents"),
        element("ol", *entries),
        aria_labelledby="page-contents",
    )


def _header(title: str, about: Mapping[str, str]) -> Markup:
    facts = join(
        element("div", element("dt", printable(key)), element("dd", printable(value)))
        for key, value in about.items()
    )
    # hidden where there is no script that could switch
    switch = element("button", "Dark", type="button", id="page-switch", hidden="")
    return element(
        "header",
        element("h1", printable(title)),
        switch,
        element("dl", facts) if about else "",
    )


def _section(section: Section) -> Markup:
    anchor = safe_name(section.id)
    return element(
        "section",
        element("p", printable(section.paper), class_="paper"),
        element("h2", printable(section.title), id=f"heading-{anchor}"),
        element("div", paragraphs(section.text), class_="text"),
        *map(_block, section.blocks),
        _faults(section.faults),
        id=f"section-{anchor}",
        aria_labelledby=f"heading-{anchor}",
    )


def _block(block: Block) -> Markup:
    return table_html(block) if isinstance(block, Table) else figure_html(block)


def _faults(faults: Sequence[str]) -> Markup:
    if not faults:
        return Markup()
    return element(
        "aside",
        element("h3", "What could not be measured"),
        element("ul", *(element("li", printable(fault)) for fault in faults)),
        class_="faults",
    )


def _asset(name: str) -> str:
    return (
        files("ustory_bench.report")
        .joinpath("assets", name)
        .read_text(encoding="utf-8")
    )


def _plotly() -> str:
    """Return plotly.min.js, which the installed package brings."""
    try:
        from plotly.offline import get_plotlyjs  # noqa: PLC0415 - heavy, optional
    except ImportError as error:
        raise MissingExtraError("plotly", "", "ustory-bench") from error
    script: str = get_plotlyjs()
    # the browser compares scripts after it has made all line ends one
    return script.replace("\r\n", "\n").replace("</script", "<\\/script")
