"""Sections for tests: a plain one of each kind, and one with a text everywhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

from ustory_bench.report.blocks import Figure, Section, Table, TableRow, Value

ATTACKS = (
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'><svg onload=alert(1)>",
    "<a href='https://evil.example/'>x</a>",
    "<!-- <style>@import url(//evil.example)</style>",
    "</title></style></head><body>",
    "]]>\x00\ud800\u2028&lt;b&gt;",
    "=cmd|'/c calc'!A1",
)

VOID = {"meta", "br", "col"}


def table(title: str = "Accuracy", table_id: str = "accuracy") -> Table:
    return Table(
        id=table_id,
        title=title,
        columns=("B³-F1", "AMI", "B³-F1", "AMI"),
        groups=(("one", 2), ("two", 2)),
        rows=[
            row("slow", "Baselines", 0.5, None, 0.25, 16136),
            row("fast", "Baselines", 0.125, 0.0625, -0.5, 12),
            TableRow(
                name="ours",
                block="Proposed",
                cells=[
                    Value(value=0.91758, best=True, mark="*", interval=(0.9, 0.93)),
                    Value(value="△ 44.4 %"),
                    Value(value=0.75),
                    Value(value=2018),
                ],
            ),
        ],
        note="Mean over windows.",
    )


def row(name: str, block: str, *values: float | None) -> TableRow:
    return TableRow(name=name, block=block, cells=[Value(value=v) for v in values])


def figure(figure_id: str = "lines", name: str = "ours") -> Figure:
    return Figure(
        id=figure_id,
        title="Scores by sentences",
        caption="B³-F1 against sentences.",
        traces=[
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": name,
                "x": [1, 2, 3],
                "y": [0.5, None, 0.75],
                "error_y": {"type": "data", "array": [0.1, 0.1, 0.2]},
                "meta": {"colour": 0},
            },
            {"type": "bar", "name": "b", "x": ["a", "b"], "y": [1, float("nan")]},
        ],
        layout={"xaxis": {"title": {"text": "sentences"}}},
        alt="More sentences are better.",
    )


def panels() -> Figure:
    """Return a figure of two panels beside each other, as the case studies have."""
    headings = [
        {
            "text": text,
            "x": x,
            "y": 1,
            "xref": "paper",
            "yref": "paper",
            "showarrow": False,
        }
        for text, x in (("left", 0.23), ("right", 0.77))
    ]
    return Figure(
        id="panels",
        title="Two panels",
        caption="No units.",
        traces=[
            {"x": [1, 2], "y": [1, 2], "name": "a", "meta": {"colour": 1}},
            {
                "x": [1, 2],
                "y": [2, 1],
                "xaxis": "x2",
                "yaxis": "y2",
                "name": "b",
                "meta": {"colour": 9},
            },
        ],
        layout={
            "xaxis": {"domain": [0, 0.46]},
            "xaxis2": {"domain": [0.54, 1], "anchor": "y2"},
            "yaxis2": {"anchor": "x2"},
            "annotations": headings,
            # a shape on axes goes where they go, one on the paper would not
            "shapes": [{"xref": "x2", "yref": "y2 domain", "x0": 1, "x1": 1}],
        },
        alt="They cross.",
    )


def logarithmic() -> Figure:
    return Figure(
        id="logarithmic",
        title="Speed",
        caption="Sentences per second.",
        traces=[{"x": [40, 300, 24000], "y": [1, 2, 3], "meta": {"colour": 0}}],
        layout={"xaxis": {"type": "log"}, "yaxis": {"showticklabels": False}},
        alt="Some are faster.",
    )


def broken() -> Figure:
    """Return a figure on which the script stumbles: annotations are a list."""
    return Figure(
        id="broken",
        title="Broken",
        caption="Nothing.",
        traces=[{"x": [1], "y": [1]}],
        layout={"annotations": {"text": 1}},
        alt="Nothing is seen.",
    )


def section(section_id: str = "first", *blocks: Table | Figure) -> Section:
    return Section(
        id=section_id,
        title="Story discovery",
        paper="Table 2",
        text="What was done.\n\nWhat it shows.",
        blocks=blocks,
        faults=["bertopic: out of time."],
    )


def sections() -> list[Section]:
    other = Table(
        id="sentences",
        title="Sentences",
        columns=("weight", "sentence"),
        rows=[
            TableRow(
                name="s1",
                cells=[Value(value=0.5), Value(value="A dam failed. " * 12)],
                block="Floods reach the old town " * 4,
            )
        ],
    )
    return [
        section("first", table(), figure()),
        section("second", other, panels()),
    ]


def full_of(text: str) -> Section:
    """Return a section that has the text wherever a text can be."""
    said = text or "x"
    cells = [Value(value=text, mark=text), Value(value=0.5, interval=(0.1, 0.9))]
    return Section(
        id=f"section {said}",
        title=f"title {said}",
        paper=text,
        text=text,
        blocks=[
            Table(
                id=f"table {said}",
                title=f"title {said}",
                columns=(text, text),
                groups=((text, 1), ("b", 1)),
                rows=[TableRow(name=text, cells=cells, block=f"block {said}")],
                note=f"note {said}",
            ),
            Figure(
                id=f"figure {said}",
                title=f"title {said}",
                caption=text,
                traces=[{"name": text, "x": [text], "y": [1], "text": [text]}],
                layout={"title": {"text": text}},
                alt=f"alt {said}",
            ),
        ],
        faults=[text],
    )


@dataclass
class Page(HTMLParser):
    """A parsed page: its elements in order, and what stands in them."""

    elements: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)
    """The innermost element, and a piece of text in it."""
    open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        HTMLParser.__init__(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element, and that it is open."""
        self.elements.append((tag, {key: value or "" for key, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost element, which must be of this kind."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Note a text with the element that it stands in."""
        self.texts.append((self.open[-1] if self.open else "", data))

    def of(self, tag: str) -> list[dict[str, str]]:
        """Return the attributes of all elements of a kind."""
        return [attributes for name, attributes in self.elements if name == tag]

    def text(self) -> str:
        """Return what a reader sees."""
        return "".join(t for tag, t in self.texts if tag not in {"script", "style"})


def parsed(html: str) -> Page:
    page = Page()
    page.feed(html)
    page.close()
    assert not page.open
    return page
