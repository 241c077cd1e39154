"""Common English words for invented news: what every story is told in."""

from __future__ import annotations

NOUNS = """
year people time day week official government state country city group report company
member police case plan number leader statement part minister service problem public
area family place court question party office house issue money month president hour
right water community name work service decision team home system program law power
member meeting side history room school policy change reason morning result market
support street business end life war level order interest morning effort staff chief
director spokesman source evidence department agency council committee development
position measure rule security situation process attention response agreement
information agenda concern call future period night weekend region district capital
border neighbour visitor resident worker citizen voter critic supporter expert analyst
lawyer judge doctor teacher student parent child woman man witness reporter editor
newspaper television camera document letter email phone message interview conference
hearing debate vote speech visit trip return arrival departure delay deadline schedule
budget cost price tax payment fund loan debt rate share profit loss growth decline
increase cut reduction limit target goal record average total figure estimate survey
study research analysis review inquiry investigation audit inspection test sample method
model design project site building road bridge station airport port railway bus car
truck ship train plane engine fuel oil gas coal energy electricity supply demand product
brand store customer buyer seller supplier partner rival competitor contract deal offer
bid proposal draft bill clause amendment ruling verdict sentence charge crime victim
suspect arrest prison guard officer soldier army navy force unit operation mission
attack defence threat risk danger damage injury death accident emergency disaster crisis
recovery relief aid shelter food medicine hospital clinic patient nurse treatment
disease virus vaccine symptom drug health safety standard quality condition weather rain
wind snow heat storm summer winter spring autumn field farm crop animal fish forest
river lake sea coast island mountain valley village town neighbourhood corner square
park garden church museum library theatre film music song book author artist actor
audience fan player coach club league season match game goal score victory defeat draw
title cup final champion stadium ticket crowd event festival ceremony prize award winner
candidate campaign election poll majority opposition coalition parliament senate
assembly chamber embassy ambassador treaty summit talks pressure criticism doubt fear
hope trust anger surprise mistake failure success chance opportunity choice option
alternative solution answer advice warning signal sign mark step stage phase start
beginning point line view opinion belief idea thought memory experience skill training
education career job employer union strike wage pension insurance bank account investor
investment stock bond currency trade export import industry factory plant machine tool
device computer network software data website internet account user password screen
image video photo picture page story article piece detail fact truth lie claim denial
comment remark reply apology promise duty
"""
VERBS = """
said told announced reported confirmed denied called asked expected added showed found
made took gave began ended continued followed led held opened closed moved raised cut
reached left joined met faced urged warned accused blamed praised criticised defended
supported opposed rejected accepted approved ordered demanded offered proposed agreed
promised pledged planned prepared launched started stopped delayed extended suspended
cancelled resumed changed revised reviewed examined studied discussed debated considered
questioned challenged described explained noted insisted suggested argued claimed
revealed disclosed published released issued signed sent brought carried kept lost won
gained dropped rose fell grew spread hit struck damaged destroyed repaired rebuilt
protected guarded checked tested measured counted estimated compared linked tied shared
divided joined backed welcomed greeted visited toured watched heard saw saw learned knew
remembered forgot ignored avoided prevented blocked allowed permitted banned limited
reduced increased doubled halved funded paid bought sold hired fired named elected
appointed replaced removed returned recovered rescued treated helped served fed housed
taught trained guided pushed pulled pressed threatened attacked fought
"""
ADJECTIVES = """
new last first second next early late recent former current local national regional
foreign public private official senior main major minor large small big long short high
low strong weak good bad better worse clear unclear likely unlikely possible certain
serious severe heavy light quick slow sudden steady quiet busy open closed full empty
free safe dangerous difficult easy simple complex common rare special general particular
similar different separate single double joint independent political economic social
legal financial military medical technical scientific cultural religious historic modern
old young rich poor cheap expensive popular famous unknown important necessary final
initial temporary permanent daily weekly monthly annual urgent formal informal direct
indirect domestic international global central northern southern eastern western rural
urban critical fresh tough bitter bright dark cold warm dry wet deep wide narrow close
"""

SPECIFIC = """
anchor apron arch arrow attic auction axle badge bakery balcony ballast balloon bamboo
banner barge barley barn barrel basin basket battery bayonet beacon beam bear beehive
bell bench berry bicycle birch blanket blade boiler bolt bonnet boulder bracelet brass
brick broadcast broom bucket buffalo bugle bulb bulldozer bunker burial butter cabin
cable cactus calf canal candle canoe canvas captain caravan carbon cargo carousel carpet
carriage cartoon castle catalogue cathedral cattle cavern cedar cellar cement cemetery
ceramic chain chalk chapel charcoal chariot chemist cherry chess chimney chisel
chocolate choir cider cigar circus cistern clay cliff cloak clock clover cobalt cocoa
coffee coffin coin collar colonel comet compass concert concrete condor cookbook copper
coral corridor cotton couch cradle crane crater crayon crocodile crown crypt crystal
cupboard curtain cushion cyclist dagger dairy daisy dam dancer debris deer delta denim
depot desert diamond diary dice diesel dinosaur diver dock dolphin donkey donor dragon
drain drawer dredger drone drought drum duchess dune dye eagle easel echo eclipse elbow
elephant elevator ember emerald emperor envelope epidemic escalator estuary excavator
exile eyewitness fabric falcon fan fence fern ferry fiddle fjord flag flannel flask
fleet flint flock flour flute foal fog forge fortress fossil fountain fox freight fresco
frost fungus furnace gallery galley garlic garment gate gem geologist ghost ginger
giraffe glacier glass glider glove goat gorge granite grape gravel grenade grocery grove
guitar gull gutter hammer hangar harbour harness harp harvest hatch hawk hay hedge
helicopter helmet herb herd heron highway hinge hockey honey hoof horizon hornet horse
hostel hotel hull hunter hurdle hydrogen ibex iceberg idol incense inferno ingot ink inn
insect iron ivory jacket jade jaguar jar jazz jeep jewel jungle jury kayak kennel kettle
kiln kiosk kite kitchen knight label laboratory ladder lagoon lamb lamp lantern larch
laser lava lawn lead leaf leather ledger lemon lens leopard levee lever lichen
lighthouse lilac limestone linen lion lizard lobby lobster lock locomotive locust loom
lorry lotus lumber lynx magnet magnolia mahogany mammoth manor mansion maple marathon
marble mare marina marsh mask mast mattress mayor meadow medal melon mercury merchant
meteor microscope mill mine mineral mint mirror missile mist mitten moat molecule
monastery monk monument moor mortar mosaic mosque moss motel moth motorway mud mule
mural musket mustard nail needle nest nickel nitrogen notebook novel nuclear nun nursery
oak oar oasis oat obelisk observatory ocean octopus olive onion opal opera orange orbit
orchard orchestra orchid ore organ orphanage otter oven owl oxygen oyster paddle pageant
paint palace palm panda panel panther paper parachute parade parcel parish parrot
passport pasture path patrol pavilion peacock pearl peat pebble pedal pelican penguin
pepper perfume petrol pharmacy piano pier pigeon pilgrim pillar pillow pilot pine pipe
pipeline pistol piston plague plank plaster plateau platform platinum plaza plough plum
plywood poem poet pollen pond pony poplar poppy porcelain porch portrait potato pottery
powder prairie priest prism probe prophet propeller puddle pulley pump pumpkin puppet
pyramid quarry quartz queen quilt rabbit raccoon radar radio raft rail rainbow ranch
raven razor reactor reed reef refinery reindeer relic reservoir restaurant rhino ribbon
rice rifle ring rink roast robe robot rocket roof rooster rope rose rubber rubble ruby
rudder rug runway rye sable saddle sail salmon salt sanctuary sand sapphire satellite
sauna saw scaffold scarf sceptre scooter scorpion sculpture seal seed shark shed sheep
shell shepherd shield shovel shrine shuttle siege silk silo silver siren skate skeleton
ski skull slate sled sleeve slipper slope smelter smoke snail snake soap soccer socket
sofa soil sparrow spear sphere spice spider spire sponge spoon spruce squad squid stable
stack stadium staircase stallion statue steam steel stew stone stove straw stream
submarine subway sugar suit suitcase sulphur sundial surf surgeon swamp swan sword syrup
tailor tanker tannery tape tapestry tar tavern taxi tea teapot telescope temple tennis
tent terrace thatch thermal thorn throne thunder tide tiger tile timber tin tobacco toll
tomato tomb torch tornado torpedo tortoise tower tractor trail tram trawler treasure
trench tribe trophy truffle trumpet trunk tug tulip tundra tunnel turbine turf turkey
turtle tusk tweed umbrella uniform uranium urn vault veil velvet venom vessel viaduct
vineyard vinegar violet violin volcano vulture wagon walnut walrus wardrobe warehouse
wasp watch waterfall wax weasel wedding well whale wharf wheat wheel whip whiskey
whistle willow windmill wine wolf wool workshop wreck yacht yard yarn yeast yoghurt
zebra zinc zoo abbey acid acre admiral aerial album alloy almond aluminium amber
ambulance ammonia amplifier ancestor anthem antibiotic antique apartment apple
apprentice aquarium archive asphalt astronomer athlete atlas avalanche avenue bacteria
ballet banana baptism barber baron barometer bass bathroom bay beach bean beard beaver
beef beer beetle betting bishop blossom bomb bonus boot boxer bread breeze bride bronze
brother bubble bullet butcher butterfly button cabbage cafe calendar camel camp cancer
canyon cap carrot casino cave ceiling cello census chapter cheese chef chicken chili
choreographer cinema clinic cloud coal coat cod colony comedy commuter composer convent
convoy cook cork corn cosmetics cottage cow cowboy crab cradle creek cricket crow cruise
cub cucumber curry cyclone dawn dentist dialect dinner diploma dog doll dome duck duel
dwarf earring earth easter eel egg embryo engraving entrance epic estate exhibition
explosive faith farmer fashion fat feather fern fever fiction film fin flame flea flood
flower foam foot football forehead fork frog fruit fur garage gang gearbox genome gift
glue gold golf gown grain grass gravity greenhouse guest guidebook gun gymnasium hair
hall ham hand handbag hare hat heart heater heir hero hill hip hobby hood horn host hut
hymn ice icon illness inch infant inheritance instrument jail jam jaw joke journal judo
juice kidney king knee knife knot lace landmark landscape language lap lawn layer leg
legend lifeboat limb lip liquor liver logo luggage lullaby lung magazine magic maid mail
mall manuscript map marsh marriage meal meat melody metal midnight milk mill mine
minibus ministerial moon mosquito mother motorcycle mouse mouth movie mushroom myth neck
neon nerve net noise noodle nose nut nylon office oil opium oracle outfit ox packet
pageant pan parasite passage pastry peach peak pear pen pencil percussion petal pharaoh
philosopher photograph pie pig pill pin pirate pizza planet plant plate playground
pledge plot plug pocket poison pole pool pork poster prayer prince printer prisoner
pulse pumpkin pupil purse puzzle rack rat recipe reptile rib riddle riverbed roller rug
ruin sack sailor salad salon saint sausage scholar scissors screw scroll seat seaweed
sergeant servant shadow shampoo shark shelf sheriff ship shirt shoe shop shore shoulder
shower shrub sibling singer sister skin skirt sky slave sleep slogan soup spine spiral
stamp star starch stomach storage strand strap stripe sun sunset surgery sweater swimmer
symphony tail talent tank tattoo textile thief throat thumb tie tin toast toe tongue
tooth towel toy track tray tree trick triumph trousers tuna twig tyre uncle upholstery
valve vegetable vein verse veteran vase village vine virgin voice wallet wallpaper
waitress warrior wave wealth weed weight widow wig window wing winter wire wisdom witch
wrist yolk youth zone
"""
FRONT = """
air back bank battle bell bird black blue boat bone book bow brook buck camp cart cloud
coal coast corn cross dawn day deep door down drift dust earth east field fire fish
flood foot fore frost gate gold grass green grey ground guard hall hand hard head heart
high hill hook horn ice iron land light lime lock long low mid mill moon moss mud north
oak out over path pit plum rain red reed ridge river road rock salt sand sea shore side
silver snow south star steel stone storm sun tide timber top under up wall water west
white wild wind wood
"""
BACK = """
bank bar base beam bed bell bench board bolt book box brake bridge burn cap case cast
craft cut dale drop fall field fold frame front gate gear ground guard hall haul head
hold house keeper lane lift line load lock mark master mill mount pass path piece pile
pipe plate point post press rack rail rest ring rise rod room row run shaft shed shift
side song stand stock storm string store tail track trap turn wall way wheel work yard
"""


def words(text: str) -> tuple[str, ...]:
    """Return the words of a list, each once, in order."""
    return tuple(dict.fromkeys(text.split()))


_SHORT = 6
"""Letters of a word that others grow together with, at most."""


def compounds() -> tuple[str, ...]:
    """Return the rare words of the language: two short ones grown together."""
    short = (word for word in words(SPECIFIC) if len(word) <= _SHORT)
    front, back = tuple(dict.fromkeys([*words(FRONT), *short])), words(BACK)
    pairs = (
        (a, back[(n * 7 + i) % len(back)])
        for n in range(8)
        for i, a in enumerate(front)
    )
    return tuple(dict.fromkeys(a + b for a, b in pairs if a != b))
