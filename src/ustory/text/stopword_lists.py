"""Lists of function words and of the verbs every report is made of, by language."""

from __future__ import annotations

LISTS = {
    "en": """
        about above accord according across add after again against ago all almost also
        although always am among an and another any anyone anything are around as at
        away back be became because become been before began behind being below between
        both but by call came can cannot come could did do does doing done down during
        each either else enough even ever every everyone everything far few for from
        further get give go got had has have having he her here hers herself him himself
        his how however if in including instead into is it its itself just keep know
        last later least less let like made make many may maybe me might mine more most
        mr mrs ms much must my myself near need neither never new next no nobody none
        nor not nothing now of off often on once one only onto or other others our ours
        ourselves out over own per perhaps put quite rather really said same saw say
        says see seem seen several shall she should since so some someone something
        still such take tell than that the their theirs them themselves then there these
        they thing think this those though through thus time to today together told too
        took toward towards two under unless until up upon us use used very via want was
        way we well went were what when where whether which while who whole whom whose
        why will with within without would year yes yet you your yours yourself
    """,
    "de": """
        aber alle allem allen aller alles als also am an ander andere anderen auch auf
        aus außerdem bei beide beiden beim bereits berichtet berichtete bin bis bist
        bleibt da dabei dadurch dafür damit dann daran darauf das dass davon dazu dein
        dem demnach den denn der deren derzeit des dessen deutlich dich die dies diese
        diesem diesen dieser dieses diesmal doch dort du durch eigenen ein eine einem
        einen einer eines einmal er erklärt erklärte erst es etwa etwas euch für gab
        gegen gegenüber geht gestern gibt habe haben hat hatte hatten heute hier hin
        hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in ins insgesamt
        ist ja jede jedem jeden jeder jedoch jetzt kann kein keine kommt können könnte
        lassen laut machen man mehr mehrere mein mich mir mit mitteilte morgen muss
        mussten müssen nach neue neuen neuer nicht nichts nie noch nun nur nächsten ob
        obwohl oder ohne rund sagen sagte schon sehr sei seien sein seine seinem seinen
        seiner seit sich sie sind so soll sollen sollte sondern sowie statt steht teilte
        trotz um und uns unser unter vergangenen viel viele vielen vom von vor war waren
        was wegen weil weiter weitere weiteren welche weniger wenn wer werde werden wie
        wieder will wir wird wo wollen wollte worden wurde wurden während würde würden
        zu zum zur zwar zwischen über
    """,
    "fr": """
        affirmé afin ai ainsi ajouté alors annoncé année années après après-midi au
        aucun aujourd'hui auprès auraient aurait aussi autre autres aux avaient avait
        avant avec avoir ayant car ce cela celle celles celui cependant ces cet cette
        ceux chaque chez ci comme contre dans de depuis dernier dernière des desquels
        deux dire dit doit doivent donc dont du dès déclaré elle elles en encore entre
        est et eu eux eût faire fait fois font hier hors ici il ils indiqué je
        jour jours jusqu la laquelle le lequel les leur leurs lors lui là ma mais mes
        mieux moins mon même mêmes ne ni non nos notamment notre nous nouveau nouvelle
        on ont ou où par parce parmi pas pendant peu peut peuvent plus plusieurs pour
        pourquoi pourrait précisé puis quand quatre que quel quelle quelques qui quoi
        rien sa sans sauf se selon sera seront ses seul si soient soit sommes son sont
        souligné sous suis sur ta tandis te tes toi ton toujours tous tout toute toutes
        trois trop très tu un une va vers vient voir vos votre vous y à également
        étaient était étant été être
    """,
    "es": """
        a además afirmó ahora al algo alguna algunas alguno algunos allí ante antes
        anunció aquel aquella aquellas aquellos aseguró así aunque ayer aún bajo bien
        cada cerca como con contra cual cualquier cuando cuyo cómo de debe deben decir
        del desde después dicho dijeron dijo donde dos durante días e el ella ellas
        ellos en entonces entre era es esa esas ese eso esos esta estaba estado estar
        estas este esto estos está están explicó fin fue fueron gran ha haber había hace
        hacen hacer hacia han hasta hay haya hecho hoy hubo incluso indicó informó junto
        la las le les lo los luego mayor mañana me mediante medio mejor menos mi
        mientras misma mismo mismos mucho muy más nada ni no nos nosotros nuestra
        nuestro nueva nuevo nunca o otra otras otro otros para parte pasado pero poco
        por porque primera primero pudo puede pueden pues que quien quienes quiere qué
        se sea sean según ser será serán señaló si sido siempre siendo sin sobre solo
        son su sus sí sólo tal también tan tanto te tener tenía tiene todo todos tras
        través tres tu un una unas uno unos usted va vamos van veces vez y ya yo él
    """,
    "it": """
        a ad adesso agli ai al all alla alle allo allora almeno altra altre altri altro
        anche ancora anni annunciato appena avere aveva avevano avrebbe bene certo che
        chi chiunque ci cioè circa come comunque con contro cosa così cui da dagli dai
        dal dall dalla dalle dallo dato davvero degli dei del dell della delle dello
        dentro detto deve devono di dice dichiarato dire dopo dove due durante e ecco ed
        entrambi era erano essa esse essendo essere essi fa fare fatto fino finora forse
        fosse fra fu furono giorni giorno già gli grazie ha hai hanno i ieri il in
        infatti inoltre intanto invece io l la le lei li lo loro lui lì ma maggior meno
        mentre mesi mi mia mie miei mio molta molte molti molto ne negli nei nel nell
        nella nelle nello nessun nessuno niente no noi non nostro nuova nuovo o oggi
        ogni oltre oppure ora ore parte per perché però più poi possono potrebbe presso
        prima primo proprio può qual qualche quale quando quanto quasi quella quelle
        quelli quello questa queste questi questo qui quindi riferito rispetto saranno
        sarebbe sarà se secondo sei sempre senza si sia siamo solo sono soprattutto
        sotto spiegato sta stata stati stato stessa stesso su sua sugli sui sul sull
        sulla sulle sullo suo suoi tale tanto tra tre troppo tutta tuttavia tutte tutti
        tutto un una uno vengono verso via viene voi volta è
    """,
    "pt": """
        a acordo afirmou agora ainda algum alguma algumas alguns ali além ano anos antes
        anunciou ao aos apenas após aquela aquele aqui as assim até cada cerca com como
        contra cujo da das de dele depois desde deve devem dia dias disse dizer do dois
        dos dum duma durante e ela elas ele eles em enquanto entanto entre então era
        essa essas esse esses esta estas estava este estes está estão eu explicou fazem
        fazer feito ficou fim foi foram grande hoje houve há informou isso isto já la
        lhe logo lá maior mais mas me meio melhor menos mesma mesmo meu muitas muito
        muitos na nada nas nem nenhum nessa nesse nesta neste no nos nossa nova novo num
        numa nunca não nós o onde ontem os ou outra outras outro outros para parte pela
        pelas pelo pelos pode podem poderá pois por porque porém pouco primeira primeiro
        próprio quais qual quando quanto quarta-feira quase que quem quer quinta-feira
        se segunda-feira segundo seja sem sempre sendo ser será serão seu seus
        sexta-feira sido sob sobre somente sua suas só tal também tanto tem ter
        terça-feira teve tinha toda todas todo todos três tudo têm um uma umas uns vai
        vez vezes você voltou vão à às é
    """,
    "nl": """
        aan al aldus alle alleen als altijd andere beide ben bij binnen bleek blijft
        buiten da daar daarna daarom dagen dan dat de deed deel der deze dezelfde die
        dit doch doen doet door dus een eerder eerste elk elke en enkele er gaan gaat ge
        geeft geen geleden geweest ging gisteren goed grote had hadden heb hebben hebt
        heeft hem hen het hier hij hoe hun ieder iedereen iets ik in inmiddels is ja
        jaar je jullie kan kon kreeg kunnen kunt kwam laat laten later liet maakt maar
        maken me meer meerdere meest men mensen met mij mijn minder mocht moest moet
        moeten mogen morgen na naar naast nadat namelijk net niemand niet niets nieuwe
        nog nooit nu of om omdat onder ongeveer ons onze ook op opnieuw over reeds sinds
        soms staat steeds te tegen terwijl tijdens toch toe toen tot totdat tussen twee
        u uit uur uw vaak van vanaf vandaag vanwege veel verder verklaarde vertelde
        volgens voor voordat waar waarbij waardoor waarin wanneer want waren was wat we
        week weer wel welke werd wezen wie wij wil wilde willen worden wordt zal ze
        zeggen zegt zei zeiden zelf zich zij zijn zo zoals zodat zonder zou zowel zullen
    """,
    "ru": """
        а без более будет будто будут бы был была были было быть в вам вас весь весьма
        во вот все всего всех всё вчера вы где год года году да два две для до добавил
        его ее если есть еще ещё её же за завтра заявил заявила заявили здесь и из или
        им именно иначе их к каждый как какая какие какое какой когда кого кому которая
        которого которое которой которую которые который которых кроме кто лет ли лишь
        людей между менее мог могут может можно мы на над надо нам например нас наш не
        него нее нет ни них но нужно нынче о об один одна однако одной около он она они
        оно от отметил отметила очень перед по под подчеркнул пока поскольку после потом
        потому почему почти поэтому при про просто против ранее рассказал рассказала с
        сам своего своей свои своих свой свою своё себе себя сегодня сейчас сказал
        сказала сказать со сообщает сообщил сообщила сообщили среди стал стала стали
        стало так также такой там тем теперь тех то то-то того тоже только тот три ты у
        уже хотя человек чем через что чтобы эта эти этим этих это этого этой этом этот
        эту я
    """,
    "ar": """
        آخر أحد أخرى أشار أضاف أعلن أعلنت أكثر أكد أكدت أما أمام أمس أن أنه أنها أو أوضح
        أي أيضا إحدى إذا إلى إن إنه إنها إنهم الآن التى التي الذى الذي الذين اللاتي
        اللذين اللواتي الى اليوم ان انه بأن بأنه بأنها بسبب بشأن بعد بعض بل به بها بهذا
        بين بينما تحت تكون تلك تم ثلاثة ثم حال حتى حول حيث حين خاصة خلال دون ذكرت ذلك
        رغم سوف شخص صباح ضد ضمن عام عاما عبر عدة عدد عدم على عليه عليها عما عن عند عندما
        غير فإن فقد فقط فوق في فيما فيه فيها قال قالت قام قبل قد كان كانا كانت كانوا
        كذلك كل كلا كلم كما كيف لأن لا لدى لدي لذلك لقد لكن لكنه لكنها لم لن له لها ليس
        ليست ما مثل مساء مع معه مما من منذ منه منها منهم نحو نفس نفسه هذا هذه هم هنا
        هناك هو هي وأضاف وأن وإن والتي والذي وذلك وعلى وفي وقال وقالت وقد وكان وكانت ولا
        ولكن ولم ومع ومن وهو يتم يجب يكن يكون يمكن يوم يوما
    """,
    "pl": """
        a aby albo ale ani aż bardzo bez bo być był była było były będzie będą chce ci
        co czy czyli dla dlaczego dlatego do dwa dwie dwóch dzięki dziś gdy gdzie go i
        ich im inne innych ja jak jakie jako je jednak jednym jego jej jest jeszcze
        jeśli już kiedy kilka która które którego której który których którym którzy lat
        lub ma mają między mogą może można mu my mówi mówił na nad nam nas nawet nich
        nie nim nią niż no nowe nowy o obok od on ona one oni oraz po pod podał podała
        podczas poinformował poinformowała ponad ponieważ powiedział powiedziała
        powinien poza przed przede przez przy roku się sobie swoich swoje swój są ta tak
        także tam te tego tej temu ten teraz też to tu tych tylko tym u w wciąż we
        według wiele więc wszystkich wszystkie wśród z za zaś został została zostały że
        żeby
    """,
    "tr": """
        acaba ama ancak artık aslında ayrıca az açıkladı bazı belirtti ben beri bile bin
        bir biri birkaç birlikte biz bize bu buna bunlar bunu bunun burada böyle bütün
        da daha dair de dedi değil diye diğer dolayı eden edildi edilen en etmek etti
        ettiği eğer fakat gibi göre hangi hem henüz hep hepsi her herkes hiç hiçbir hâlâ
        ifade ile ilgili ise itibaren için içinde kadar karşı kaydetti kendi kendisi ki
        kim kime mi mu mı nasıl ne neden nerede niye o olan olarak oldu olduğu olduğunu
        olmak olması on ona onlar onu onun oysa sonra söyledi tarafından tüm var ve veya
        ya yani yaptı yapılan yeni yer yok yoksa çok çünkü önce öyle üzere üzerinde şey
        şimdi şu şöyle
    """,
    "ko": """
        가장 강조했다 같은 것 것으로 것은 것이 것이다 게다가 결국 경우 관련 그 그가 그는
        그들은 그러나 그런 그런데 그리고 기자 나는 내 너무 년 는 다른 다시 대한 대해 더
        던 덧붙였다 동안 됐다 되는 된 된다 될 두 등 등을 등이 따라 따르면 때 때문에 또
        또는 또한 말했다 매우 며 면서 명이 모두 모든 및 바로 밝혔다 밝힌 보다 설명했다
        수 씨는 아니라 아직 안 약 어떤 없는 없다 에 에서 여러 예정이다 오늘 올해 우리
        위한 위해 으로 은 을 의 이 이날 이는 이라고 이런 이를 이미 이번 이에 있는 있다
        있다고 있었다 있으며 자신의 전했다 정도 제 주장했다 중 지금 지난 지난해 통해
        특히 하고 하는 하지만 한 한다 할 함께 했다 했다고 했던 후
    """,
    "ja": """
        あの ある いない いる から こと この これ さらに しかし した して する そして
        その それ ただ ため だが だった である です という とき ところ として どの ない
        なかった なった など なる について による によると ので ほど ました ます また
        まで もの よう 一方 一部 今回 今年 今後 今日 以上 以下 以前 以後 以降 全て 午前
        午後 可能 同日 同社 土曜 場合 必要 日曜 明らか 明日 昨年 昨日 曜日 最近 月曜
        木曜 水曜 火曜 現在 発表 自分 話し 語っ 述べ 金曜
    """,
    "zh": """
        一个 一些 一個 不会 不是 不會 不能 不过 不過 与 並 並且 为了 之 之前 之后 之後
        之間 之间 也 了 于 什么 什麼 今天 今年 今日 仍 仍然 从 他 他们 他們 以及 们 但
        但是 你 你们 們 关于 其 其中 其他 再 则 則 去年 又 及 另外 只是 可以 可是 可能
        同时 同時 吗 吧 呢 和 啊 嗎 因为 因此 因為 在 報導 報道 她 如果 它 宣布 对 对于
        将 將 對 對於 就 就是 已 已經 已经 并 并不 并且 并非 強調 强调 当地 当时 很 從
        您 我 我们 我們 或 所以 所有 把 报道 指出 据 據 方面 於 日前 时候 昨天 昨日 是
        時候 更 曾 最 根据 根據 此外 沒有 没有 為了 然而 现在 現在 由于 由於 當地 當時
        的 目前 着 称 称为 稱 而 而且 自己 與 著 虽然 表示 被 記者 認為 說 认为 记者 说
        过 还 还是 还有 这 这个 进行 透露 這 這個 通过 通過 進行 過 還 還是 還有 那 那个
        那個 都 關於 雖然
    """,
    "th": """
        กล่าว กล่าวว่า กว่า กับ การ กำลัง ก็ ก่อน ขณะ ขณะที่ ของ ครั้ง ควร ความ คือ จะ จาก ฉัน
        ซึ่ง ด้วย ตั้งแต่ ตาม ต่อ ต้อง ถึง ถูก ทั้ง ทำให้ ที่ ทุก นอกจาก นัก นั้น นี้ บอก ปีนี้ ผู้ พร้อม
        พวกเขา มัน มาก มี ยัง ยังคง รวม ระบุ ระบุว่า ระหว่าง วันที่ วันนี้ ว่า สามารถ สำหรับ
        หรือ หลัง หลาย อยู่ อย่าง อย่างไร อีก เกี่ยวกับ เขา เคย เช่น เท่านั้น เธอ เปิดเผย เป็น
        เผย เพราะ เพราะว่า เพียง เพื่อ เมื่อ เรา เลย เวลา เอง แต่ และ แล้ว แห่ง โดย ใน ให้ ได้
        ไม่ ๆ
    """,
}
