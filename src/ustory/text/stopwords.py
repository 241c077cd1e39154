"""Short stop lists: function words and the verbs every report is made of."""

from __future__ import annotations

_LISTS = {
    "en": """
        about above across after again against ago all almost also although always am
        among an and another any anyone anything are around as at away back be became
        because become been before began behind being below between both but by call
        came can come could did do does doing done down during each either else enough
        even ever every everyone everything far few for from further get give go got
        had has have having he her here hers herself him himself his how however if in
        including instead into is it its itself just keep know last later least less
        let like made make many may maybe me might mine more most mr mrs ms much must
        my myself near need neither never new next no nobody none nor not nothing now
        of off often on once one only onto or other others our ours ourselves out over
        own per perhaps put quite rather really said same saw say says see seem seen
        several shall she should since so some someone something still such take tell
        than that the their theirs them themselves then there these they thing think
        this those though through thus time to today together told too took toward
        towards two under unless until up upon us use used very via want was way we
        well went were what when where whether which while who whole whom whose why
        will with within without would year yes yet you your yours yourself add accord
        according cannot
    """,
    "de": """
        aber alle allem allen aller alles als also am an ander andere anderen auch auf
        aus bei beim bin bis bist da damit dann das dass dein dem den denn der des
        dessen dich die dies diese diesem diesen dieser dieses doch dort du durch ein
        eine einem einen einer eines er es etwas euch für gegen haben habe hat hatte
        hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins
        ist ja jede jedem jeden jeder jedoch jetzt kann kein keine können könnte machen
        man mehr mein mich mir mit muss müssen nach nicht nichts noch nun nur ob oder
        ohne sagen sagte schon sehr sein seine seinem seinen seiner seit sich sie sind
        so soll sollen sondern sowie über um und uns unser unter vom von vor war waren
        was weil weiter welche wenn wer werde werden wie wieder will wir wird wo wurde
        wurden zu zum zur zwar zwischen
    """,
    "fr": """
        à ai ainsi alors après au aucun aussi autre autres aux avait avant avec avoir
        car ce cela celle celui ces cet cette ceux chaque ci comme contre dans de
        depuis des deux dire dit donc dont du elle elles en encore entre est et été
        être eu eux faire fait il ils je jusqu la le les leur leurs lors lui ma mais
        mes moins mon ne ni non nos notre nous on ont ou où par pas pendant peu peut
        plus pour pourquoi quand que quel quelle qui sa sans se sera ses si soit son
        sont sous sur ta tandis te tes toi ton tous tout toute toutes très tu un une va
        vers vos votre vous y
    """,
    "es": """
        a al algo alguna algunas alguno algunos ante antes aquel así aunque bajo bien
        cada como con contra cual cuando de decir del desde después dijo donde dos
        durante e el él ella ellas ellos en entre era es esa ese eso esta está estaba
        estado están estar este esto estos fue fueron ha haber había hacer hace hacia
        han hasta hay hoy la las le les lo los más me mi mientras mismo mucho muy nada
        ni no nos nosotros o otra otras otro otros para pero poco por porque puede que
        qué quien se según ser si sí sido sin sobre son su sus también tan tanto te
        tener tiene todo todos tras tu un una uno unos y ya yo
    """,
    "it": """
        a ad agli ai al alla alle allo anche ancora avere aveva che chi ci come con
        contro cosa così cui da dagli dai dal dalla dalle dallo degli dei del della
        delle dello dentro di dire dopo dove due e è ed era essere fa fare fino fra gli
        ha hanno i il in io la le lei li lo loro lui ma mentre mi mio molto ne negli
        nei nel nella nelle nello no noi non nostro o ogni per perché però più poi può
        qual quale quando quella quello questa questi questo qui se sei senza si sia
        sono sta stata stati stato su sua sugli sui sul sulla sulle sullo suo suoi tra
        tutti tutto un una uno voi
    """,
    "pt": """
        a à ainda ao aos apenas após as às até com como contra da das de dele depois
        desde disse dizer do dois dos e é ela elas ele eles em entre era essa esse esta
        está este eu fazer foi foram há isso isto já lhe mais mas me mesmo meu muito na
        não nas nem no nos nós nossa o os ou para pela pelas pelo pelos pode por porque
        quando que quem se sem ser seu seus sido só sob sobre sua suas também tem têm
        ter todo todos um uma umas uns você
    """,
    "nl": """
        aan al alle als ben bij da dan dat de der deze die dit doch doen door dus een
        en er ge geen had hebben heeft hem het hier hij hoe hun iets ik in is ja je kan
        kon kunnen maar me meer men met mij mijn moet na naar niet niets nog nu of om
        omdat ons ook op over reeds te tegen toch toen tot u uit uw van veel voor want
        waren was wat we wel werd wezen wie wij wil worden wordt zal ze zegt zei zelf
        zich zij zijn zo zonder zou
    """,
    "ru": """
        а без бы был была были было быть в вам вас во вот все всё весь вы где да для до
        его ее её если есть еще ещё же за и из или им их к как когда который кто ли мы
        на над не него нее нет ни них но о об однако он она они оно от по под после при
        про с сам свой себя сказать со так также такой то того тоже только тот ты у уже
        чем что чтобы это этот я
    """,
    "ar": """
        أن إن أو أي إذا إلى الذي التي الذين الى ان انه إنه أنه أما أمام أيضا بعد بعض بل
        بين تم ثم حتى حول حيث خلال ذلك عبر عدم على عن عند عندما غير في فيه قال قبل قد
        كان كانت كل كما لا لقد لكن لم لن له لها ليس ما مع من منذ منها منه نحو هذا هذه
        هناك هو هي وقد ولا وهو يكون يوم
    """,
}


def stopwords(lang: str) -> frozenset[str]:
    """Return the stop list of a language; languages without one have none.

    Without a list, terms that are everywhere still weigh little (Eq. 1).
    """
    return frozenset(_LISTS.get(lang, "").split())


def has_stopwords(lang: str) -> bool:
    """Say whether there is a list of a language."""
    return lang in _LISTS
