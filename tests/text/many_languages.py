"""One flood, as three outlets might report it in each of many languages.

Written for these tests. Beside the reports are the function words, and the words of
every report, that are in them: none of them says what a story is about.
"""

from __future__ import annotations

import json
from pathlib import Path

_FILE = Path(__file__).with_suffix(".json")

REPORTS: dict[str, tuple[tuple[tuple[str, str], ...], str]] = {
    lang: (
        tuple((one["title"], one["text"]) for one in each["reports"]),
        each["function_words"],
    )
    for lang, each in json.loads(_FILE.read_text(encoding="utf-8")).items()
}
