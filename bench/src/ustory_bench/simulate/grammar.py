"""Patterns of sentences: what stands still, and where a word is drawn."""

from __future__ import annotations

from itertools import product
from typing import TypeAlias

SLOTS = "NVAFSLOTD"
"""Noun, verb, adjective, first name and surname, place, organisation and its type,
number: each a letter that stands for a word to be drawn. F comes right before its S,
and T right after its O."""

WORDS, NAMES = "NVA", "FSLOTD"
"""Slots of words, which tell of the kind of a story, and of what tells twins apart."""

_OPENINGS = """
-
-
-
-
on Monday
on Tuesday
on Thursday
on Friday
last week
before the N of the N
in what S called A N
after N and N
with N still A
in L
as its N V
while A N V
under their N N
"""
_CLAUSES = """
A N N V the A N
the N in L V his N
F S V her N N
S V that no N of the N was A
O T V N and its N
at least D in L had V this N
N and N , where N V , V the N
officials at O T V some A N
the N of a A N V near L
about one in D of the A N V N
he V it for his N N
N was still A when S V it
the A N , whose N V , had V N
they V their A N at N
the N and the N V every A N
"""
_TAILS = """
-
-
-
of N
in L
with its A N
for D days
and S V N
over that N in L
despite A N
because of their N
, who V it
, said F S
, S said
, which V the N of N
and V D more
from N to A N
while the N of N V
but F S V this N
"""
_CLOSINGS = """
-
-
as A N V near the N
amid N and N over A N
, F S of O T told the N
"""
_TITLES = """
N V N in L
S V A N over N
O T V N after N
A N V L as N V
N V D in L N
F S V N N
L N : N V N
after N , S V N
"""


Pattern: TypeAlias = list[list[str]]
"""A sentence in parts, each a list of slots and plain words."""


def body_patterns() -> list[Pattern]:
    """Return every sentence of a text: what it says is its second part."""
    parts = product(*map(_lines, (_OPENINGS, _CLAUSES, _TAILS, _CLOSINGS)))
    return [[part.split() for part in each] for each in parts]


def title_patterns() -> list[Pattern]:
    """Return every headline."""
    return [[[], line.split()] for line in _lines(_TITLES)]


def clauses() -> int:
    """Return how many clauses there are."""
    return len(_lines(_CLAUSES))


def behind_clause() -> int:
    """Return how many sentences have the same opening and the same clause."""
    return len(_lines(_TAILS)) * len(_lines(_CLOSINGS))


def _lines(text: str) -> list[str]:
    """Return the lines of a list; a dash is a part left out."""
    return [line.strip("-") for line in text.split("\n") if line]
