"""Kinds of news, each with the words that all its stories share."""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """What stories of one kind have in common."""

    name: str
    nouns: str
    verbs: str
    adjectives: str


KINDS = (
    Kind(
        "earthquake",
        "quake tremor magnitude epicentre aftershock fault rubble collapse shaking "
        "survivor rescuer tsunami seismologist crack tent landslide debris toll",
        "shook collapsed trapped flattened cracked evacuated searched injured",
        "seismic shallow powerful homeless trapped",
    ),
    Kind(
        "trial",
        "trial jury prosecutor defendant testimony witness verdict plea courtroom "
        "murder attorney guilt appeal judge sentence conviction bail motive",
        "testified pleaded convicted acquitted sentenced prosecuted swore appealed",
        "guilty innocent accused criminal legal",
    ),
    Kind(
        "election",
        "ballot voter turnout candidate campaign poll recount constituency precinct "
        "majority landslide manifesto rally runoff coalition incumbent swing seat",
        "voted elected campaigned conceded polled nominated rallied canvassed",
        "electoral undecided partisan marginal presidential",
    ),
    Kind(
        "transfer",
        "midfielder striker signing transfer contract club manager fee league squad "
        "loan goalkeeper medical wage agent season bid defender",
        "signed scored joined loaned scouted bid trained transferred",
        "versatile injured talented young defensive",
    ),
    Kind(
        "software",
        "patch vulnerability browser update exploit software server password flaw "
        "version malware hacker bug release code firewall encryption user",
        "patched exploited hacked updated encrypted disclosed crashed infected",
        "vulnerable malicious remote digital automatic",
    ),
    Kind(
        "merger",
        "merger acquisition shareholder takeover stake antitrust board bidder share "
        "valuation subsidiary regulator premium synergy bank chairman buyout deal",
        "acquired merged bid valued approved bought divested negotiated",
        "hostile strategic corporate combined undervalued",
    ),
    Kind(
        "crash",
        "crash aircraft pilot passenger runway wreckage cockpit recorder airline crew "
        "jet landing flight altitude engine turbulence investigator takeoff",
        "crashed landed skidded burned descended boarded investigated plunged",
        "mechanical fatal missing airborne charred",
    ),
    Kind(
        "storm",
        "hurricane storm flood wind landfall evacuation forecaster rainfall levee "
        "surge power outage shelter coast cyclone roof gust flooding",
        "flooded evacuated battered drenched swept weakened stranded downed",
        "tropical coastal sustained stranded severe",
    ),
    Kind(
        "fire",
        "blaze wildfire firefighter smoke flame acre evacuation containment brush "
        "arson ember hectare crew hydrant hillside burn ash drought",
        "burned torched contained scorched smouldered ignited raged doused",
        "burning dry scorched smoky charred",
    ),
    Kind(
        "strike",
        "strike union walkout wage picket worker contract negotiation employer "
        "pension overtime ballot stoppage mediator roster layoff bargaining pay",
        "walked picketed negotiated bargained marched balloted mediated stranded",
        "industrial unpaid collective striking stalled",
    ),
    Kind(
        "protest",
        "protester demonstration march rally riot tear curfew crowd activist slogan "
        "barricade chant clash detention reform square unrest dissident",
        "protested marched clashed chanted gathered detained dispersed occupied",
        "peaceful violent defiant angry masked",
    ),
    Kind(
        "gadget",
        "smartphone tablet screen camera battery processor launch handset app chip "
        "headset laptop sensor display preorder keynote wearable storage",
        "unveiled launched shipped upgraded priced designed previewed streamed",
        "wireless slim sleek portable foldable",
    ),
    Kind(
        "film",
        "film actor actress director premiere sequel studio award nominee trailer "
        "role screenplay cast cinema box-office producer documentary celebrity",
        "starred directed premiered filmed won nominated cast grossed",
        "dramatic comic acclaimed animated blockbuster",
    ),
    Kind(
        "outbreak",
        "outbreak virus infection quarantine vaccine patient symptom epidemic "
        "hospital strain clinic fever contagion case antibody dose immunity ward",
        "infected vaccinated quarantined tested spread isolated hospitalised treated",
        "contagious viral infected respiratory vaccinated",
    ),
    Kind(
        "shooting",
        "shooting gunman gunfire victim suspect rifle police bullet hostage motive "
        "manhunt weapon ammunition lockdown vigil wound shooter detective",
        "shot killed wounded arrested barricaded fled fired mourned",
        "armed wounded fatal gunned motiveless",
    ),
    Kind(
        "budget",
        "budget deficit tax spending austerity treasury surplus debt revenue bond "
        "stimulus inflation growth pension subsidy forecast chancellor borrowing",
        "borrowed taxed spent cut budgeted forecast trimmed balanced",
        "fiscal economic quarterly unfunded balanced",
    ),
    Kind(
        "space",
        "rocket astronaut launch orbit satellite spacecraft capsule crew module probe "
        "lander station payload booster telescope mission crater spacewalk",
        "launched orbited docked landed lifted ignited probed splashed",
        "lunar orbital manned robotic reusable",
    ),
    Kind(
        "match",
        "goal match penalty half referee tournament final team injury fan midfield "
        "cup coach equaliser defence corner stadium league",
        "scored beat defeated drew tackled missed headed substituted",
        "unbeaten winning offside clinical spirited",
    ),
    Kind(
        "scandal",
        "bribe corruption scandal laundering fraud embezzlement resignation minister "
        "probe kickback prosecutor account whistleblower contract audit ethics "
        "lobbyist",
        "bribed resigned embezzled laundered investigated leaked denied pocketed",
        "corrupt offshore disgraced secret illicit",
    ),
    Kind(
        "climate",
        "emission climate carbon summit warming target treaty glacier pollution "
        "renewable fossil delegate temperature pledge methane coal adaptation forest",
        "emitted pledged warmed melted negotiated curbed offset polluted",
        "environmental green global rising sustainable",
    ),
    Kind(
        "conflict",
        "ceasefire rebel troop airstrike shelling militia refugee convoy frontline "
        "commander border missile offensive truce civilian insurgent checkpoint envoy",
        "bombed shelled attacked retreated advanced ambushed fought besieged",
        "military armed besieged civilian rebel-held",
    ),
    Kind(
        "recall",
        "recall defect airbag brake manufacturer vehicle salmonella contamination "
        "dealer consumer product warning label regulator complaint refund lawsuit "
        "model",
        "recalled inspected replaced sickened complained contaminated refunded sued",
        "defective faulty tainted affected unsafe",
    ),
    Kind(
        "science",
        "scientist fossil species discovery researcher gene protein skull laboratory "
        "excavation study journal particle experiment bone dinosaur theory sample",
        "discovered excavated analysed observed dated sequenced unearthed published",
        "ancient genetic extinct prehistoric experimental",
    ),
    Kind(
        "school",
        "pupil teacher classroom curriculum exam campus student tuition principal "
        "university lesson grade scholarship admission lecturer textbook dormitory "
        "parent",
        "taught graduated enrolled expelled examined studied tutored failed",
        "academic elementary private gifted scholastic",
    ),
)
