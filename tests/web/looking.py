"""A page as a test sees it: its elements and its words."""

from __future__ import annotations

from html.parser import HTMLParser

from fastapi.testclient import TestClient

_VOID = frozenset({"input", "link", "meta", "img", "br", "hr"})
HTML = {"Accept": "text/html"}


class Element:
    """An element, with the text within it."""

    def __init__(self, tag: str, attributes: dict[str, str]) -> None:
        self.tag = tag
        self.attributes = attributes
        self.text = ""

    def __getitem__(self, name: str) -> str:
        """Return an attribute."""
        return self.attributes[name]


class Looked(HTMLParser):
    """All elements of a page, in their order."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.html = html
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element without content."""
        found = {name: value or "" for name, value in attrs}
        self.elements.append(Element(tag, found))

    def handle_endtag(self, tag: str) -> None:
        """Leave an element."""
        while self._open and self._open.pop().tag != tag:
            pass

    def handle_data(self, data: str) -> None:
        """Add words to all that is open."""
        for element in self._open:
            element.text += data

    def all(self, tag: str, **wanted: str) -> list[Element]:
        """Return the elements of a tag with some attributes; `class_` is a class."""
        return [e for e in self.elements if e.tag == tag and _has(e, wanted)]

    def one(self, tag: str, **wanted: str) -> Element:
        """Return the only such element."""
        (found,) = self.all(tag, **wanted)
        return found


def _has(element: Element, wanted: dict[str, str]) -> bool:
    for name, value in wanted.items():
        key = name.rstrip("_").replace("_", "-")
        given = element.attributes.get(key)
        if given is None:
            return False
        if value not in (given.split() if key == "class" else (given,)):
            return False
    return True


def look(client: TestClient, path: str, status: int = 200) -> Looked:
    """Return a page as a browser would be given it."""
    answer = client.get(path, headers=HTML, follow_redirects=False)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return Looked(answer.text)
