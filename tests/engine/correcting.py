"""Two stories and a text of its own, for tests of corrections."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

START = datetime(2024, 3, 4, tzinfo=UTC)
DAY = timedelta(days=1)
QUAKE = (
    "A strong earthquake struck Kestrel Bay at dawn and brought down eleven houses. "
    "Rescuers pulled four people from the ruins of a bakery in Port Sella.",
    "Rescue teams in Port Sella searched the ruins of eleven houses after the "
    "earthquake that struck Kestrel Bay at dawn. Doctors treated four people.",
    "The earthquake at Kestrel Bay closed the harbour of Port Sella. Four people were "
    "pulled from the ruins of a bakery, and eleven houses came down at dawn.",
    "Engineers looked at the cracked quay of Port Sella after the earthquake in "
    "Kestrel Bay, where rescuers searched the ruins of eleven houses.",
)
CUP = (
    "Fenwater United beat Harrow Rovers in the final of the Copper Cup on penalties. "
    "Goalkeeper Lina Ost saved three kicks in front of forty thousand people.",
    "Lina Ost saved three penalties as Fenwater United won the Copper Cup against "
    "Harrow Rovers. Forty thousand people saw the final.",
    "The Copper Cup went to Fenwater United, whose goalkeeper Lina Ost saved three "
    "kicks of Harrow Rovers in a final that was decided on penalties.",
    "Harrow Rovers lost the final of the Copper Cup on penalties: goalkeeper Lina Ost "
    "of Fenwater United saved three of their kicks.",
)
ALONE = (
    "A painter from Ostry sold a mural of blue herons to the museum in Halden. "
    "Curators will hang it beside the portraits of the founders next autumn."
)
