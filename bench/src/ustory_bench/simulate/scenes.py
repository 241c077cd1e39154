"""Where stories play: the things that the news of one trade, sport or place names."""

from __future__ import annotations

_SCENES = """
trawler net herring quay skipper deckhand mackerel cod haul mooring winch lobster buoy
harbour catch quota prawn hull

locomotive carriage railway platform signal timetable track viaduct conductor sleeper
freight junction points tunnel wagon siding commuter station

violin orchestra conductor symphony cello trumpet rehearsal soloist choir score
overture concert quartet drum melody pianist flute opera

film director screenplay actress studio premiere cinema trailer sequel camera costume
script stuntman audition soundtrack reel blockbuster extra

theatre stage curtain playwright dressing understudy comedy tragedy applause balcony
usher puppet rehearsal lighting matinee prop dialogue cast

tractor wheat barley harvest plough barn silo seed fertiliser orchard combine hay
furrow crop drought acre granary meadow

vineyard grape cellar wine barrel vintage cork bottle sommelier harvest rootstock
tasting label decanter cask blight press terroir

bakery bread flour oven yeast dough pastry loaf bun cake baker rye crust icing
kneading biscuit mill butter

clinic surgeon nurse ward vaccine antibiotic stretcher scalpel tumour transplant
dosage pharmacy diagnosis ambulance infection kidney therapy physician

classroom headteacher pupil textbook exam curriculum playground lesson homework
uniform scholarship tutor blackboard lecture campus diploma semester canteen

prison inmate warden cell parole guard fence visitor lockdown sentence escape yard
contraband governor wing dormitory handcuff uniform

church bishop priest parish altar pulpit hymn congregation chapel monastery organ
steeple bell choir vestment pilgrim relic sermon

football goalkeeper penalty stadium referee corner midfield dribble coach league derby
header tackle whistle jersey fixture crossbar offside

horse jockey saddle stable trainer racecourse hurdle bridle foal stallion groom
paddock gallop derby hoof breeder trotter mare

skier slope lift avalanche piste snowboard gondola alpine glacier binding instructor
chalet slalom goggles resort powder pole ridge

yacht regatta mast rudder sail anchor skipper buoy helm keel knot marina spinnaker
crew harbour tack cabin compass

airport runway terminal luggage boarding passport hangar pilot stewardess departure
cockpit airline gate jet turbulence customs carousel delay

motorway lorry asphalt junction toll roundabout lane bypass bridge pothole driver
roadworks tanker mileage barrier tyre pedestrian traffic

mine shaft coal pit miner seam gallery drill ore lamp excavator smelter lift gravel
quarry dust explosive conveyor

refinery crude barrel pipeline rig drilling diesel petrol offshore tanker valve spill
platform derrick gasoline wellhead flare reservoir

turbine grid voltage transformer substation reactor pylon megawatt blackout cable
solar meter generator battery cooling uranium dam windmill

reservoir sewer pipe tap aquifer pump irrigation filter sewage canal well dam sluice
hydrant drain leak wetland purification

forest timber sawmill logger spruce chainsaw ranger sapling canopy bark wildfire stump
undergrowth birch clearing moss deer plantation

zoo elephant giraffe keeper enclosure lion penguin cub cage gorilla panda aquarium
seal reptile feeding breeding tiger flamingo

dog kennel puppy leash breeder collar terrier cat kitten veterinarian rabies shelter
hamster parrot cage vaccination fur rabbit

museum curator exhibit gallery sculpture antiquity fresco donor collection restoration
canvas portrait archive mosaic statue vase attic catalogue

novel author publisher bookshop manuscript chapter paperback library poet critic
translation biography bestseller editor memoir verse bookcase fiction

fashion designer catwalk model fabric silk tailor boutique collection handbag dress
hem stiletto wardrobe perfume denim lace runway

diamond jeweller necklace ruby gem carat emerald ring auction vault goldsmith pearl
sapphire brooch safe amber pendant crown

bank lender mortgage deposit branch teller loan interest cashier vault credit
overdraft rate auditor liquidity default savings

insurance premium policyholder claim broker actuary liability cover indemnity
underwriter fraud payout assessor flood compensation clause risk annuity

landlord tenant rent flat apartment eviction mortgage builder scaffold brick roof
lease plot architect housing estate kitchen staircase

supermarket checkout shelf aisle discount shopper cashier trolley barcode grocery
brand warehouse till bargain voucher mall queue refund

toy doll puzzle teddy kite marble train rattle playroom board puppet robot balloon
dice crayon jigsaw top yo-yo

phone handset antenna subscriber roaming network charger screen tariff ringtone mast
battery carrier texting fibre bandwidth modem headset

rocket satellite orbit astronaut launchpad probe telescope capsule booster lunar
payload antenna spacewalk asteroid module countdown observatory comet

laboratory chemist acid molecule polymer enzyme solvent flask catalyst toxin compound
beaker microscope isotope reagent formula sample fume

glacier permafrost iceberg ozone carbon emission thermometer drought monsoon sediment
albedo methane climate rainfall heatwave ecosystem satellite ice

detective fingerprint burglary patrol constable informant alibi squad siren custody
forensic warrant robbery smuggler badge knife raid cartel

infantry tank barracks rifle colonel convoy artillery trench ammunition sergeant
helmet bunker grenade regiment brigade mortar camouflage parade

frigate submarine torpedo admiral destroyer sonar fleet sailor dockyard radar mine
periscope deck harbour anchor carrier gunboat flotilla

embassy envoy visa consul treaty summit protocol sanction ceasefire diplomat
communique delegation passport asylum accord mediator border embargo

refugee camp tent asylum smuggler raft border blanket fence visa shelter ration
migrant crossing checkpoint deportation barge lifejacket

carnival parade float drummer lantern costume firework mask dancer sequin bandstand
festival confetti brass marquee procession banner crowd

pottery kiln clay glaze vase porcelain sculptor marble chisel bronze plaster statue
workshop wheel tile figurine foundry mould

loom cotton yarn textile wool weaver spindle dye garment linen thread seamstress
fleece bobbin mill knitwear carpet embroidery

car engine dealer gearbox airbag recall sedan bumper chassis brake assembly hybrid
dashboard clutch showroom exhaust mechanic piston

bicycle cyclist peloton saddle helmet pedal sprint velodrome gear puncture tour
breakaway stage climb spoke doping chain podium

hotel guest lobby suite concierge bellboy reservation minibar spa resort chambermaid
booking beach cruise souvenir postcard guide excursion

restaurant chef menu waiter kitchen recipe dessert sauce oyster diner cutlery grill
tavern soup spice truffle apron reservation

plantation coffee bean roast espresso cocoa tea sugar cane planter grinder aroma sack
kettle barista chocolate harvest blend

garden rose lawn gardener tulip greenhouse shrub compost hedge pond bulb nursery
orchid weed blossom spade herb trellis

casino roulette dealer jackpot gambler croupier poker chip bet slot bookmaker lottery
wager odds racing blackjack ticket license
"""
"""A paragraph each."""


def scenes() -> tuple[tuple[str, ...], ...]:
    """Return the nouns of each scene, the most usual first."""
    return tuple(tuple(each.split()) for each in _SCENES.split("\n\n"))
