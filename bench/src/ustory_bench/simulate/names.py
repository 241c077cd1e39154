"""Names that nobody has: people, places, organisations and papers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, product

from ustory_bench.simulate.english import words

ORGANISATIONS = words(
    "Group Holdings Institute Council Agency Union Bank Foundation Partners "
    "Association University Industries Authority Commission Trust Network Party "
    "Airlines Energy Laboratories Systems Motors Hospital Club Ministry Brewery "
    "Records Orchestra Museum Observatory Shipping Insurance Savings Railways "
    "Publishing Foods Textiles Cement Chemicals Pictures Theatre College Academy "
    "Seminary Tribunal Court Police Parliament Embassy Federation League Chamber "
    "Syndicate Cooperative Brothers Stores Hotels Mining Petroleum Telecom Software "
    "Robotics Pharmaceuticals Clinic"
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

_FIRST_PARTS = words(
    "Al Am An Ar Bal Bar Bel Ber Bran Brod Cal Car Cas Chal Col Cor Dal Dan Dar Del "
    "Dom Don Dor Edel El Em Er Fal Far Fen Fer Gal Gar Gil Gor Grun Hal Har Hel Hol "
    "Hor Il Jan Jar Jor Kal Kan Kar Kas Kel Kor Lam Lan Lar Leb Len Lin Lor Mal Man "
    "Mar Mel Mer Mil Mon Mor Nar Nel Nor Ol Or Os Pal Par Pel Per Pol Ral Ran Ros Rud "
    "Sal San Sar Sel Sim Sol Sor Stan Tal Tam Tar Tor Tur Ul Val Van Var Ver Vil Vol "
    "Wal War Wil Win Yal Yar Zan Zel Zim"
)
_MIDDLES = ("", *words("da be ni ro ka li mu se to ga"))
_OF_PEOPLE = words(
    "sen sson ova ev ovic escu enko ski wicz ez azino ini elli etti ard eau eux ier "
    "man mann stein feld baum bach hoff wood ley more yan ian idze shvili oglu zade "
    "wani awi adi iou akis idis poulos aitis uly nen maa sma stra kama ji wala swamy "
    "nath oto ura awa ishi moto bekov dottir quist gren blad ridge smith croft gate "
    "worthy cott sby kins lock combe hurst"
)
_OF_PLACES = words(
    "ton ville burg port mouth bridge ford haven stead wick holm grad pur abad istan "
    "polis dorf heim furt by thorpe minster caster field dale cliff shore bay vik "
    "fjord nes sund dal berg lund borg stad hamn vaara joki sk pol gorod ovka itsa "
    "ica ani ana una oma ita ela iro uma ari osa azu eto ango umba ashi agua ulco "
    "itlan apan"
)
_OF_FIRMS = words(
    "corp tech tron dyne soft med line gen tek net works con plex star cast link gas "
    "oil pharm chem flex form labs max nova trans ware shop pay drive sat jet cell "
    "core data mart rail steel sure trust vest wave zon bio foods fin gold graph "
    "logic mix optic pack point scan sense span spark stream swift tel vision volt "
    "wind wire"
)


def surnames(count: int) -> list[str]:
    """Return so many different family names, the usual ones first."""
    return list(dict.fromkeys([*SURNAMES, *_made(count, _OF_PEOPLE)]))[:count]


def places(count: int) -> list[str]:
    """Return so many different names of places, the known ones first."""
    return list(dict.fromkeys([*CITIES, *_made(count, _OF_PLACES)]))[:count]


def firms(count: int) -> list[str]:
    """Return so many different names of organisations, without their types."""
    return _made(count, _OF_FIRMS)


def papers(count: int) -> list[str]:
    """Return so many sources of news, the agencies first."""
    local = product(PAPERS, CITIES)
    return [*WIRES, *(f"{city} {paper}" for paper, city in islice(local, count))][
        :count
    ]


def _made(count: int, endings: Sequence[str]) -> list[str]:
    """Return invented names, no two alike, of parts that real ones have.

    To an encoder syllables that mean nothing are heaps of letters, and all alike.
    """
    first, last = len(_FIRST_PARTS), len(endings)
    every = (
        f"{_FIRST_PARTS[(place + turn) % first]}{middle}{endings[place % last]}"
        for middle in _MIDDLES
        for turn in range(first)
        for place in range(last)
    )
    return list(islice(dict.fromkeys(every), count))
