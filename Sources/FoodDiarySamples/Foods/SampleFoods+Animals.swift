import FoodDiaryKit

extension SampleFoods {
    static let dairy = SampleFoods(
        category: .dairy,
        """
        *milk; 3.4 4.8 3.6 0 4.8 0.1; glass 200, cup 240; Milch; lait; leche; sữa; 牛乳; 牛奶
        *butter; 0.9 0.1 81.1 0 0.1 0.03; teaspoon 5, tablespoon 14; Butter; beurre; mantequilla; bơ động vật; バター; 黄油
        *yoghurt; 3.5 4.7 3.3 0 4.7 0.12; cup 150, tablespoon 20; Joghurt; yaourt; yogur; sữa chua; ヨーグルト; 酸奶
        *Greek yoghurt; 9 4 5 0 4 0.1; cup 170; griechischer Joghurt; yaourt grec; yogur griego; sữa chua Hy Lạp; ギリシャヨーグルト; 希腊酸奶
        *Gouda; 24.9 2.2 27.4 0 2.2 2; slice 28; Goudakäse; fromage de Gouda; queso Gouda; phô mai Gouda; ゴーダチーズ; 高达奶酪
        *cheddar; 24.9 1.3 33.1 0 0.5 1.6; slice 28; Cheddarkäse; fromage cheddar; queso cheddar; phô mai cheddar; チェダーチーズ; 切达奶酪
        *mozzarella; 22.2 2.2 22.4 0 1 1.5; slice 28, ball 125; Mozzarella; mozzarelle; queso mozzarella; phô mai mozzarella; モッツァレラ; 马苏里拉
        *cream cheese; 6 5.5 34 0 3.8 0.8; tablespoon 15; Frischkäse; fromage à tartiner; queso crema; phô mai kem; クリームチーズ; 奶油奶酪
        *quark; 12 4 0.3 0 4 0.1; cup 250, tablespoon 30; Magerquark; fromage blanc; queso quark; phô mai quark; クワルク; 夸克奶酪
        *cream; 2.2 3.2 30 0 3.2 0.08; tablespoon 15; Sahne; crème; nata; kem sữa; 生クリーム; 奶油
        skimmed milk; 3.5 5 0.1 0 5 0.1; glass 200; Magermilch; lait écrémé; leche desnatada; sữa tách béo; 無脂肪乳; 脱脂牛奶
        buttermilk; 3.3 4.8 0.9 0 4.8 0.15; glass 200; Buttermilch; babeurre; suero de mantequilla; sữa bơ; バターミルク; 酪乳
        kefir; 3.3 4 3.5 0 4 0.1; glass 200; Kefir; kéfir; búlgaros; nấm sữa; ケフィア; 开菲尔
        skyr; 11 4 0.2 0 4 0.1; cup 150; Skyr; skyr; yogur islandés; sữa chua Iceland; スキル; 冰岛酸奶
        sour cream; 2.4 4.6 19.4 0 3.5 0.1; tablespoon 15; saure Sahne; crème aigre; nata agria; kem chua; サワークリーム; 酸奶油
        crème fraîche; 2.4 2.7 30 0 2.7 0.08; tablespoon 15; Schmand; crème épaisse; crema fresca; kem tươi; クレームフレーシュ; 法式酸奶油
        condensed milk; 7.9 54.4 8.7 0 54.4 0.3; tablespoon 20; Kondensmilch; lait concentré; leche condensada; sữa đặc; 練乳; 炼乳
        goat milk; 3.6 4.5 4.1 0 4.5 0.12; glass 200; Ziegenmilch; lait de chèvre; leche de cabra; sữa dê; ヤギ乳; 羊奶
        feta; 14.2 3.9 21.5 0 3.9 2.3; slice 40; Schafskäse; fromage de brebis; queso feta; phô mai feta; フェタチーズ; 菲达奶酪
        Parmesan; 35.8 3.2 25.8 0 0.8 1.6; tablespoon 5; Parmesankäse; parmesan; queso parmesano; phô mai Parma; パルメザン; 帕玛森
        Emmental; 28.5 1.5 29.7 0 0.4 0.6; slice 28; Emmentaler; emmental; queso suizo; phô mai Thụy Sĩ; エメンタール; 埃曼塔尔奶酪
        Camembert; 19.8 0.5 24.3 0 0.5 1.7; slice 30; Camembertkäse; camembert; queso camembert; phô mai Camembert; カマンベール; 卡芒贝尔
        Brie; 20.8 0.5 27.7 0 0.5 1.6; slice 30; Briekäse; brie de Meaux; queso brie; phô mai Brie; ブリーチーズ; 布里奶酪
        blue cheese; 21.4 2.3 28.7 0 0.5 2.9; slice 28; Blauschimmelkäse; fromage bleu; queso azul; phô mai xanh; ブルーチーズ; 蓝纹奶酪
        goat cheese; 18.5 0.1 21.1 0 0.1 1; slice 28; Ziegenkäse; fromage de chèvre; queso de cabra; phô mai dê; シェーブル; 山羊奶酪
        ricotta; 11.3 3 13 0 0.3 0.2; tablespoon 15; Molkenkäse; ricotta; requesón; phô mai ricotta; リコッタ; 意式乳清奶酪
        cottage cheese; 11.1 3.4 4.3 0 2.7 0.9; cup 210; Hüttenkäse; fromage frais; queso cottage; phô mai tươi; カッテージチーズ; 茅屋奶酪
        halloumi; 21.5 2 25 0 2 2.8; slice 30; Grillkäse; fromage à griller; queso halloumi; phô mai nướng; ハルミチーズ; 哈罗米
        mascarpone; 4.8 4.6 42 0 4.6 0.1; tablespoon 15; Mascarpone; mascarpone; queso mascarpone; phô mai mascarpone; マスカルポーネ; 马斯卡彭
        processed cheese; 16 7 23 0 6 2.8; slice 20; Schmelzkäse; fromage fondu; queso fundido; phô mai lát; プロセスチーズ; 再制奶酪
        whey powder; 78 8 6 0 6 0.5; scoop 30; Molkenpulver; lactosérum; suero de leche; bột whey; ホエイ; 乳清粉
        custard; 3.6 14.5 3 0.1 11.5 0.15; cup 150; Pudding; crème anglaise; natillas; sữa trứng; カスタード; 蛋奶冻
        """
    )

    static let eggs = SampleFoods(
        category: .egg,
        """
        *egg; 12.6 0.7 9.5 0 0.4 0.36; piece 58; Ei; œuf; huevo; trứng gà; 卵; 鸡蛋
        *scrambled egg; 10 1.6 11 0 1.4 0.4; cup 220, serving 120; Rührei; œufs brouillés; huevos revueltos; trứng bác; スクランブルエッグ; 炒蛋
        egg white; 10.9 0.7 0.2 0 0.7 0.4; piece 33; Eiweiß; blanc d'œuf; clara de huevo; lòng trắng trứng; 卵白; 蛋清
        egg yolk; 15.9 3.6 26.5 0 0.6 0.1; piece 17; Eigelb; jaune d'œuf; yema de huevo; lòng đỏ trứng; 卵黄; 蛋黄
        quail egg; 13.1 0.4 11.1 0 0.4 0.35; piece 9; Wachtelei; œuf de caille; huevo de codorniz; trứng cút; うずらの卵; 鹌鹑蛋
        duck egg; 12.8 1.5 13.8 0 0.9 0.37; piece 70; Entenei; œuf de cane; huevo de pato; trứng vịt; アヒルの卵; 鸭蛋
        omelette; 10.6 0.6 11.7 0 0.3 0.4; piece 120; Omelett; omelette; tortilla francesa; trứng ốp lết; オムレツ; 煎蛋卷
        """
    )

    static let meats = SampleFoods(
        category: .meat,
        """
        *chicken breast; 31 0 3.6 0 0 0.19; piece 170, slice 40; Hähnchenbrust; blanc de poulet; pechuga de pollo; ức gà; 鶏むね肉; 鸡胸肉
        *chicken thigh; 24.8 0 8.2 0 0 0.22; piece 110; Hähnchenschenkel; cuisse de poulet; muslo de pollo; đùi gà; 鶏もも肉; 鸡腿
        *minced beef; 25.9 0 15.4 0 0 0.18; serving 125; Rinderhack; bœuf haché; carne picada; thịt bò xay; 牛ひき肉; 牛肉末
        *beef steak; 27 0 12 0 0 0.14; piece 200; Rindersteak; bifteck; bistec; bò bít tết; ビーフステーキ; 牛排
        *cooked ham; 19.5 1.5 4 0 1 2.3; slice 28; Kochschinken; jambon cuit; jamón cocido; giăm bông; ハム; 火腿
        *salami; 21.7 1.6 33.7 0 1 4.5; slice 10; Salami; saucisson; salchichón; xúc xích Ý; サラミ; 萨拉米
        *bacon; 37 1.4 41.8 0 0 4.3; slice 8; Frühstücksspeck; lard fumé; tocino; thịt xông khói; ベーコン; 培根
        *pork chop; 25.7 0 13.9 0 0 0.16; piece 150; Schweinekotelett; côtelette de porc; chuleta de cerdo; sườn heo; 豚ロース; 猪排
        *sausage; 13.5 2 28 0 1 2; piece 75; Bratwurst; saucisse; salchicha; xúc xích; ソーセージ; 香肠
        pork belly; 14 0 40 0 0 0.1; slice 50; Schweinebauch; poitrine de porc; panceta; ba chỉ; 豚バラ肉; 五花肉
        pork fillet; 26.2 0 3.5 0 0 0.14; serving 150; Schweinefilet; filet mignon; solomillo de cerdo; thăn heo; 豚ヒレ肉; 猪里脊
        minced pork; 25.7 0 20.8 0 0 0.18; serving 125; Schweinehack; porc haché; cerdo picado; thịt heo xay; 豚ひき肉; 猪肉末
        beef fillet; 28.5 0 9 0 0 0.14; piece 180; Rinderfilet; filet de bœuf; solomillo de ternera; thăn bò; 牛ヒレ肉; 牛里脊
        beef brisket; 28 0 17 0 0 0.16; serving 150; Rinderbrust; poitrine de bœuf; pecho de res; nạm bò; 牛ブリスケ; 牛腩
        veal; 30 0 6.6 0 0 0.2; serving 150; Kalbfleisch; veau; ternera lechal; thịt bê; 子牛肉; 小牛肉
        veal escalope; 28 3 9 0.2 0.3 0.6; piece 150; Kalbsschnitzel; escalope de veau; escalope de ternera; bê tẩm bột; 子牛カツ; 炸小牛排
        lamb chop; 25.5 0 20 0 0 0.18; piece 90; Lammkotelett; côte d'agneau; chuleta de cordero; sườn cừu; ラムチョップ; 羊排
        leg of lamb; 26 0 16 0 0 0.16; slice 60; Lammkeule; gigot; pierna de cordero; đùi cừu; ラムもも肉; 羊腿
        turkey breast; 30 0 2 0 0 0.25; slice 30; Putenbrust; blanc de dinde; pechuga de pavo; ức gà tây; 七面鳥; 火鸡胸
        duck breast; 23.5 0 11.2 0 0 0.26; piece 200; Entenbrust; magret de canard; magret de pato; ức vịt; 鴨むね肉; 鸭胸
        goose; 25.2 0 21.9 0 0 0.18; serving 150; Gans; oie; ganso; ngỗng; ガチョウ; 鹅肉
        rabbit; 29 0 8 0 0 0.12; serving 150; Kaninchen; lapin; conejo; thịt thỏ; うさぎ肉; 兔肉
        venison; 30.2 0 3.2 0 0 0.13; serving 150; Hirschfleisch; cerf; ciervo; thịt nai; 鹿肉; 鹿肉片
        wild boar; 28.3 0 4.4 0 0 0.15; serving 150; Wildschwein; sanglier; jabalí; heo rừng; 猪肉; 野猪肉
        chicken wing; 26.9 0 19.5 0 0 0.21; piece 35; Hähnchenflügel; aile de poulet; alita de pollo; cánh gà; 手羽先; 鸡翅
        whole chicken; 25 0 13.6 0 0 0.2; serving 200; Brathähnchen; poulet entier; pollo entero; gà nguyên con; 丸鶏; 整鸡
        chicken liver; 24.5 0.9 6.5 0 0 0.2; serving 100; Hühnerleber; foie de volaille; hígado de pollo; gan gà; 鶏レバー; 鸡肝
        liver pâté; 14 3 28 0.2 1 1.8; tablespoon 15; Leberwurst; pâté de foie; paté de hígado; pa tê gan; レバーペースト; 鹅肝酱
        prosciutto; 27 0.3 12 0 0 5; slice 12; Rohschinken; jambon cru; jamón serrano; giăm bông Ý; 生ハム; 意大利火腿
        chorizo; 24.1 1.9 38.3 0 1 3.1; slice 10; Paprikawurst; chorizo; chorizo; xúc xích cay; チョリソ; 西班牙辣肠
        Vienna sausage; 12 2 25 0 0.8 2; piece 50; Wiener Würstchen; saucisse de Francfort; salchicha de Viena; xúc xích Viên; ウインナー; 维也纳香肠
        mortadella; 16.4 3.1 25.4 0 0.5 2.5; slice 15; Fleischwurst; mortadelle; mortadela; chả lụa Ý; モルタデッラ; 摩泰台拉
        Vietnamese pork roll; 15 3 14 0 1 1.8; slice 20; vietnamesische Wurst; pâté vietnamien; embutido vietnamita; giò lụa; ベトナムハム; 扎肉
        meatball; 17 7 15 0.6 1.5 1.2; piece 30; Frikadelle; boulette; albóndiga; thịt viên; ミートボール; 肉丸
        beef jerky; 33.2 11 25.6 1.8 9 5.2; piece 20; Trockenfleisch; viande séchée; cecina; bò khô; ビーフジャーキー; 牛肉干
        """
    )

    static let fish = SampleFoods(
        category: .fish,
        """
        *salmon; 22.1 0 12.4 0 0 0.15; fillet 150; Lachs; saumon; salmón; cá hồi; 鮭; 三文鱼
        *tuna; 29.1 0 0.6 0 0 0.12; can 120; Thunfisch; thon; atún; cá ngừ; まぐろ; 金枪鱼
        *prawn; 24 0.2 0.3 0 0 0.28; piece 12, cup 145; Garnele; crevette; gamba; tôm; エビ; 虾
        *cod; 22.8 0 0.9 0 0 0.2; fillet 180; Kabeljau; cabillaud; bacalao; cá tuyết; たら; 鳕鱼
        *fish finger; 13 20 9.5 1.2 1 0.9; piece 30; Fischstäbchen; bâtonnet de poisson; palito de merluza; cá tẩm bột; フィッシュスティック; 鱼条
        herring; 18 0 9 0 0 0.25; fillet 140; Hering; hareng; arenque; cá trích; にしん; 鲱鱼
        mackerel; 23.9 0 17.8 0 0 0.2; fillet 90; Makrele; maquereau; caballa; cá thu; さば; 鲭鱼
        sardine; 24.6 0 11.5 0 0 0.8; piece 12, can 92; Sardine; sardine; sardina; cá mòi; いわし; 沙丁鱼
        trout; 23.8 0 7.4 0 0 0.14; fillet 125; Forelle; truite; trucha; cá hồi sông; ます; 鳟鱼
        halibut; 22.5 0 1.6 0 0 0.2; fillet 160; Heilbutt; flétan; fletán; cá bơn; おひょう; 大比目鱼
        plaice; 19 0 1.9 0 0 0.3; fillet 150; Scholle; plie; solla; cá bơn sao; カレイ; 鲽鱼
        pollock; 23.5 0 1.2 0 0 0.28; fillet 150; Seelachs; lieu noir; abadejo; cá pô lắc; すけとうだら; 狭鳕
        sea bass; 23.6 0 2.6 0 0 0.22; fillet 130; Wolfsbarsch; bar; lubina; cá chẽm; すずき; 鲈鱼
        sea bream; 24 0 6 0 0 0.2; fillet 130; Dorade; daurade; dorada; cá tráp; 鯛; 鲷鱼
        carp; 22.9 0 7.2 0 0 0.16; fillet 170; Karpfen; carpe; carpa; cá chép; 鯉; 鲤鱼
        catfish; 18.4 0 7.2 0 0 0.3; fillet 140; Wels; poisson-chat; bagre; cá tra; なまず; 鲶鱼
        tilapia; 26.2 0 2.7 0 0 0.14; fillet 87; Buntbarsch; tilapia; mojarra; cá rô phi; ティラピア; 罗非鱼
        eel; 23.7 0 15 0 0 0.16; serving 100; Aal; anguille; anguila; lươn; うなぎ; 鳗鱼
        anchovy; 28.9 0 9.7 0 0 9; fillet 4; Sardelle; anchois; boquerón; cá cơm; アンチョビ; 凤尾鱼
        squid; 17.9 7.8 7.5 0 0 0.7; serving 100; Tintenfisch; calmar; calamar; mực; イカ; 鱿鱼
        octopus; 29.8 4.4 2.1 0 0 1.1; serving 100; Krake; poulpe; pulpo; bạch tuộc; タコ; 章鱼
        mussel; 23.8 7.4 4.5 0 0 0.9; piece 8, cup 150; Miesmuschel; moule; mejillón; vẹm; ムール貝; 贻贝
        clam; 25.6 5.1 2 0 0 1.1; piece 10; Venusmuschel; palourde; almeja; nghêu; あさり; 蛤蜊
        scallop; 20.5 5.4 0.8 0 0 1.6; piece 15; Jakobsmuschel; coquille Saint-Jacques; vieira; sò điệp; ホタテ; 扇贝
        oyster; 9.5 4.9 2.3 0 0 0.4; piece 14; Auster; huître; ostra; hàu; 牡蠣; 生蚝
        crab; 19.4 0 1.5 0 0 0.9; serving 100; Krabbe; crabe; cangrejo; cua; カニ; 螃蟹
        lobster; 19 0 0.9 0 0 1.2; serving 140; Hummer; homard; bogavante; tôm hùm; ロブスター; 龙虾
        surimi; 7.6 15 1 0.5 6 1.4; stick 17; Krebsfleischimitat; bâtonnet de surimi; palito de cangrejo; thanh cua; かに風味かまぼこ; 蟹棒
        roe; 24.6 4 17.9 0 0 3.8; tablespoon 16; Kaviar; caviar; caviar; trứng cá; いくら; 鱼子
        """
    )
}
