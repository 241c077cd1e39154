r"""Any text as LaTeX that compiles: what pdfTeX does not know is spelled out."""

from __future__ import annotations

import re
import unicodedata

from ustory_bench.report.names import printable

_LIGATURE = re.compile(r"([-,])(?=\1)")
"""Two dashes or commas that would grow together."""
_ASCII = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    "\N{ZERO WIDTH SPACE}": "{}",
    # after the end of a row or a rule these would be its argument
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
}
_SIGNS = {
    "–": "--",
    "—": "---",
    "‘": r"\textquoteleft{}",
    "’": r"\textquoteright{}",
    "“": r"\textquotedblleft{}",
    "”": r"\textquotedblright{}",
    "„": r"\quotedblbase{}",
    "«": r"\guillemotleft{}",
    "»": r"\guillemotright{}",
    "…": r"\ldots{}",
    "\N{NO-BREAK SPACE}": "~",
    "\N{THIN SPACE}": r"\,",
    "\N{NARROW NO-BREAK SPACE}": r"\,",
    "•": r"\textbullet{}",
    "§": r"\S{}",
    "†": r"\dag{}",
    "‡": r"\ddag{}",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
    "đ": r"\dj{}",
    "Đ": r"\DJ{}",
    "ð": r"\dh{}",
    "þ": r"\th{}",
}
_MATHS = dict(
    pair.split()
    for pair in r"""
△ \triangle
▲ \blacktriangle
▽ \triangledown
▼ \blacktriangledown
✓ \checkmark
° ^{\circ}
− -
± \pm
× \times
· \cdot
∞ \infty
≤ \leq
≥ \geq
≈ \approx
≠ \neq
∅ \emptyset
∈ \in
→ \rightarrow
← \leftarrow
↑ \uparrow
↓ \downarrow
√ \surd
∑ \sum
α \alpha
β \beta
γ \gamma
δ \delta
ε \varepsilon
θ \theta
λ \lambda
μ \mu
µ \mu
π \pi
ρ \rho
σ \sigma
τ \tau
φ \varphi
ω \omega
Δ \Delta
Σ \Sigma
Ω \Omega
""".strip().splitlines()
)
_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0327": "c",
    "\u0328": "k",
}


def escaped(text: str) -> str:
    r"""Return text that LaTeX prints as it is, with the packages of `PACKAGES`.

    A letter from another alphabet, which pdfTeX cannot print, is named by its code.

    >>> print(escaped("100 % of B³_é & 中"))
    100 \% of B\textsuperscript{3}\_\'{e} \& {\tiny U+4E2D}
    """
    apart = _LIGATURE.sub("\\1\N{ZERO WIDTH SPACE}", printable(text))
    return "".join(map(_letter, apart))


def _letter(letter: str) -> str:
    if letter in _ASCII:
        return _ASCII[letter]
    if letter.isascii():
        return letter
    if letter in _SIGNS:
        return _SIGNS[letter]
    if letter in _MATHS:
        return rf"\ensuremath{{{_MATHS[letter]}}}"
    return _composed(letter)


def _composed(letter: str) -> str:
    """Return an accented letter or a raised digit as commands, others as codes."""
    parts = unicodedata.normalize("NFD", letter)
    if len(parts) == 2 and parts[0].isascii() and parts[1] in _ACCENTS:
        return rf"\{_ACCENTS[parts[1]]}{{{parts[0]}}}"
    kind, _, base = unicodedata.decomposition(letter).partition(" ")
    places = {"<super>": "super", "<sub>": "sub"}
    sign = chr(int(base, 16)) if kind in places and " " not in base else ""
    if sign.isascii() and sign.isalnum():
        return rf"\text{places[kind]}script{{{sign}}}"
    return rf"{{\tiny U+{ord(letter):04X}}}"
