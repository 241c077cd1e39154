"""Patterns of sentences: what stands still, and where a word is drawn."""

from __future__ import annotations

from itertools import product

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
at S 's N in L
in what S called A N
after N and N
according to F S
in L
as its N V
while A N V
under their N N
"""
_CLAUSES = """
A N N V S 's N
the N in L V his N
F S V her N N
S V that no N was A
O T V N and its N
at least D in L had V this N
N from L , where N V , V S
officials at O T V some A N
N V near L 's N
about one in D of the N V
he V it for his N N
N was still A when S V it
S , whose N V , had V her N
they V their A N at N
O T 's N V every N in L
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
, said F S of O T
, S said
, which V S 's N
and V D more
from N to A N
while N in L V his N
but F S V this N
"""
_CLOSINGS = """
-
-
as A N V near L 's N
amid N and N over A N
, F S of O T told N in L
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


def body_patterns() -> list[list[str]]:
    """Return every sentence of a text, as a list of slots and plain words."""
    parts = product(*map(_lines, (_OPENINGS, _CLAUSES, _TAILS, _CLOSINGS)))
    return [" ".join(part).split() for part in parts]


def title_patterns() -> list[list[str]]:
    """Return every headline, as a list of slots and plain words."""
    return [line.split() for line in _lines(_TITLES)]


def _lines(text: str) -> list[str]:
    """Return the lines of a list; a dash is a part left out."""
    return [line.strip("-") for line in text.split("\n") if line]
