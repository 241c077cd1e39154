"""Names that nobody has: people, places, organisations and papers."""

from __future__ import annotations

from itertools import islice, product

from ustory_bench.simulate.english import words

ORGANISATIONS = words(
    "Group Holdings Institute Council Agency Union Bank Foundation Partners "
    "Association University Industries Authority Commission Trust Network Party "
    "Airlines Energy Laboratories Systems Motors Hospital Club Ministry"
)
FIRST_NAMES = words(
    "James Mary Robert Linda John Susan Michael Karen David Nancy William Lisa "
    "Richard Betty Thomas Helen Charles Sandra Daniel Donna Matthew Carol Anthony "
    "Ruth Mark Sharon Paul Laura Steven Sarah Andrew Deborah Kenneth Anna George Emma "
    "Joshua Maria Kevin Julia Brian Alice Edward Grace Ronald Rose Timothy Diana "
    "Jason Clara Jeffrey Ahmed Fatima Omar Layla Hassan Noor Ivan Olga Dmitri Elena "
    "Pavel Irina Juan Carmen Carlos Lucia Pedro Sofia Luis Elsa Wei Ling Chen Mei "
    "Hiro Yuki Kenji Aiko Arjun Priya Ravi Anita Kofi Ama Kwame Zola Lars Ingrid Erik "
    "Astrid Pierre Claire Luc Marie"
)
PAPERS = words(
    "Herald Post Times Courier Gazette Tribune Journal Chronicle Observer Ledger "
    "Mercury Star Echo Standard Examiner Bulletin"
)
WIRES = ("Continental Wire", "Meridian Press Agency", "Northern News Service")
"""Agencies; what they write is copied."""

SURNAMES = words(
    "Smith Garcia Kim Muller Silva Khan Rossi Nguyen Cohen Murphy Tanaka Hansen Novak "
    "Petrov Okafor Singh Lopez Dubois Kowalski Ali Johnson Chen Schmidt Santos "
    "Hussein Bianchi Tran Levy Kelly Sato Larsen Horvat Ivanov Mensah Patel Martin "
    "Moreau Wilson Wang Weber Costa Ahmed Ferrari Pham Katz Walsh Suzuki Berg Popov "
    "Diallo Sharma Perez Laurent Brown Li Wagner Souza Rahman Romano Le Friedman "
    "Byrne Ito Lund Sokolov Keita Gupta Gomez Bernard Taylor Zhang Becker Lima Malik "
    "Ricci Vu Stein Ryan Kato Dahl Volkov Traore Kumar Diaz Robert Anderson Liu "
    "Hoffman Pinto Aziz Marino Hoang Klein Doyle Mori Holm Morozov Kone Das Torres "
    "Petit Moore Yang Schulz Rocha Farouk Greco Bui Roth Burke Abe Strand Lebedev "
    "Cisse Reddy Ramos Durand White Huang Koch Alves Nasser Conti Dang Wolf Nolan "
    "Mendes Sharif Gallo Baker Turner Hughes Carter Foster Reid Hayes Bishop Grant "
    "Fisher Palmer Knight Shaw Webb Stone Marsh Barnes Porter Lambert Fontaine Girard "
    "Roux Blanc Castro Vega Ortega Molina Navarro Delgado Ibarra Kaplan Adler Braun "
    "Vogel Lang Krause Winter Sommer Haas Keller Frank Ziegler Busch"
)
CITIES = words(
    "London Paris Berlin Madrid Rome Vienna Lisbon Athens Dublin Oslo Stockholm "
    "Helsinki Warsaw Prague Budapest Moscow Kiev Istanbul Ankara Cairo Tunis Algiers "
    "Lagos Accra Nairobi Kampala Harare Dakar Beijing Shanghai Tokyo Osaka Seoul "
    "Taipei Manila Hanoi Bangkok Jakarta Singapore Delhi Mumbai Karachi Lahore Dhaka "
    "Kabul Tehran Baghdad Damascus Beirut Amman Riyadh Doha Dubai Sydney Melbourne "
    "Perth Auckland Toronto Montreal Vancouver Boston Chicago Denver Houston Dallas "
    "Miami Atlanta Seattle Portland Phoenix Detroit Cleveland Memphis Nashville "
    "Austin Havana Lima Bogota Quito Caracas Santiago Montevideo Milan Naples Turin "
    "Venice Geneva Zurich Munich Hamburg Cologne Frankfurt Lyon Marseille Nice "
    "Barcelona Valencia Seville Porto Manchester Liverpool Leeds Glasgow Edinburgh "
    "Bristol Cardiff Belfast Rotterdam Antwerp Bruges Krakow Gdansk Riga Vilnius "
    "Tallinn Minsk Odessa Sofia Bucharest Belgrade Zagreb Split Sarajevo Tirana "
    "Skopje Nicosia Valletta Casablanca Marrakesh Kinshasa Luanda Durban Mombasa "
    "Kigali Bamako Tripoli Basra Mosul Aleppo Haifa Jaffa Izmir Baku Tbilisi"
)

_ONSETS = words("b br c ch d dr f g gr h j k l m n p r s st t tr v w z")
_VOWELS = words("a e i o u")
_CODAS = words("n r s l nd lt rt st ck m th x ll ss rd ng ft sh mp b d k t p")
_ENDINGS = ("", *words("a o i e u en an or us ia el im"))
_SECOND = ("", *words("ra to mi na ko"))
_FAMILIES = 3
_STRIDE = 1009  # a prime: each turn meets every stem, neighbours differ


def surnames(count: int) -> list[str]:
    """Return so many different family names, the usual ones first."""
    return list(dict.fromkeys([*SURNAMES, *_made(count, 0)]))[:count]


def places(count: int) -> list[str]:
    """Return so many different names of places, the known ones first."""
    return list(dict.fromkeys([*CITIES, *_made(count, 1)]))[:count]


def firms(count: int) -> list[str]:
    """Return so many different names of organisations, without their types."""
    return _made(count, 2)


def papers(count: int) -> list[str]:
    """Return so many sources of news, the agencies first."""
    local = product(PAPERS, CITIES)
    return [*WIRES, *(f"{city} {paper}" for paper, city in islice(local, count))][
        :count
    ]


def _made(count: int, family: int) -> list[str]:
    """Return invented names, no two alike; families share none.

    They are short: to an encoder long ones are heaps of syllables that all names have.
    """
    stems = [a + b + c for a, b, c in product(_ONSETS, _VOWELS, _CODAS)]
    # after a stem comes a vowel or nothing: so no two ways lead to one name
    endings = [a + b for a, b in product(_ENDINGS, _SECOND) if a or not b]
    every = (
        stems[place * _STRIDE % len(stems)] + endings[(place + turn) % len(endings)]
        for turn in range(family, len(endings), _FAMILIES)
        for place in range(len(stems))
    )
    return [name.capitalize() for name in islice(every, count)]
