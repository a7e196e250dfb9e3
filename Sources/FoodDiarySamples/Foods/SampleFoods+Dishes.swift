import FoodDiaryKit

extension SampleFoods {
    static let dishes = SampleFoods(
        category: .dish,
        """
        *pizza; 11 33 10 2.3 3.6 1.5; slice 107, piece 350; Pizza; pizza; pizza; bánh pizza; ピザ; 披萨
        *lasagne; 7.5 12 7 1.2 3 0.9; serving 350; Lasagne; lasagnes; lasaña; mì lasagna; ラザニア; 千层面
        *spaghetti bolognese; 6.5 15 4.5 1.5 2.5 0.7; plate 400; Hackfleischnudeln; pâtes bolognaise; pasta boloñesa; mì Ý bò bằm; ミートソース; 肉酱面
        *tomato soup; 0.8 7.4 1.3 0.6 4.2 0.8; bowl 250; Tomatensuppe; soupe à la tomate; sopa de tomate; súp cà chua; トマトスープ; 番茄汤
        *vegetable soup; 1.6 7 0.8 1.3 1.9 0.7; bowl 250; Gemüsesuppe; soupe de légumes; sopa de verduras; súp rau; 野菜スープ; 蔬菜汤
        *mixed salad; 1.2 4 3 1.5 2.2 0.3; bowl 200; gemischter Salat; salade composée; ensalada mixta; rau trộn; ミックスサラダ; 什锦沙拉
        *chips; 3.4 41 15 3.8 0.3 0.5; serving 150; Pommes frites; frites; patatas fritas; khoai tây chiên; フライドポテト; 薯条
        *mashed potatoes; 2 15 4 1.5 1.5 0.6; serving 200; Kartoffelpüree; purée de pommes de terre; puré de patatas; khoai nghiền; マッシュポテト; 土豆泥
        *cheeseburger; 13.3 27 13.5 1.6 5.5 1.4; piece 120; Käseburger; burger au fromage; hamburguesa con queso; bánh burger phô mai; チーズバーガー; 芝士汉堡
        *chicken curry; 10 6 7 1.2 2.2 0.8; serving 300; Hühnercurry; curry de poulet; curry de pollo; cà ri gà; チキンカレー; 咖喱鸡
        *fried rice; 4.5 25 5 1 0.8 0.9; plate 300; gebratener Reis; riz sauté; arroz frito; cơm chiên; チャーハン; 炒饭
        *sandwich; 10 28 8.5 2 3 1.2; piece 180; belegtes Brot; sandwich; bocadillo; bánh mì kẹp; サンドイッチ; 三明治
        chicken soup; 3.5 3 1.4 0.3 0.7 0.9; bowl 250; Hühnersuppe; bouillon de poulet; caldo de pollo; súp gà; チキンスープ; 鸡汤
        lentil soup; 4.5 11 1.8 3 1.2 0.8; bowl 300; Linsensuppe; soupe de lentilles; sopa de lentejas; súp đậu lăng; レンズ豆スープ; 扁豆汤
        pea soup; 4 10 1.5 2.9 1.5 0.8; bowl 300; Erbsensuppe; potage Saint-Germain; crema de guisantes; súp đậu; 豆スープ; 豌豆汤
        pumpkin soup; 1 7 3.2 1 3 0.7; bowl 300; Kürbissuppe; velouté de potiron; crema de calabaza; súp bí đỏ; かぼちゃスープ; 南瓜汤
        onion soup; 1.7 5 2.5 0.6 2.4 1; bowl 250; Zwiebelsuppe; soupe à l'oignon; sopa de cebolla; súp hành; オニオンスープ; 洋葱汤
        goulash; 10.5 5 6 1 2 0.8; serving 300; Gulasch; goulache; gulash; bò hầm; グラーシュ; 匈牙利炖牛肉
        beef stew; 9 6 5 1.1 1.8 0.7; serving 300; Rindereintopf; bœuf bourguignon; estofado de ternera; bò kho; ビーフシチュー; 炖牛肉
        chili con carne; 8 9 6 2.8 2.5 0.8; serving 300; Chilieintopf; chili à la viande; chile con carne; đậu hầm thịt; チリコンカン; 墨西哥肉酱
        ratatouille; 1.2 5.5 3.5 1.7 3.6 0.5; serving 250; Gemüsepfanne; ratatouille; pisto; rau hầm; ラタトゥイユ; 普罗旺斯炖菜
        moussaka; 7 8 9 1.5 3 0.7; serving 300; Moussaka; moussaka; musaca; cà tím nướng; ムサカ; 茄盒
        risotto; 3.2 21 4.5 0.6 0.8 0.8; plate 300; Risotto; risotto; arroz meloso; cơm Ý; リゾット; 意式烩饭
        paella; 7.5 18 4 0.8 1 0.8; plate 350; Paella; paella; paella valenciana; cơm hải sản; パエリア; 海鲜饭
        carbonara; 8.5 23 12 1.2 1 1; plate 350; Nudeln mit Speck und Ei; pâtes carbonara; pasta carbonara; mì sốt trứng; カルボナーラ; 奶油培根面
        macaroni cheese; 7.5 20 9 1 2.5 0.9; serving 250; Käsemakkaroni; macaronis au fromage; macarrones con queso; nui phô mai; マカロニチーズ; 芝士通心粉
        potato salad; 2 13 7.5 1.5 2 0.9; serving 200; Kartoffelsalat; salade de pommes de terre; ensaladilla; salad khoai tây; ポテトサラダ; 土豆沙拉
        coleslaw; 1.1 8 11 1.9 6.5 0.6; serving 100; Krautsalat; salade de chou; ensalada de col; salad bắp cải; コールスロー; 卷心菜沙拉
        Caesar salad; 7 5.5 12 1.5 1.5 0.9; bowl 250; Cäsarsalat; salade César; ensalada César; salad Caesar; シーザーサラダ; 凯撒沙拉
        tabbouleh; 2.5 14 6.5 3 1.5 0.7; serving 150; Petersiliensalat; taboulé; tabulé; salad lúa mì; タブレ; 塔布勒
        gazpacho; 0.8 4.5 2.5 0.8 3 0.6; bowl 250; kalte Tomatensuppe; gaspacho; gazpacho; súp lạnh; ガスパチョ; 西班牙冷汤
        potato gratin; 3.5 13 9 1.4 1.8 0.7; serving 250; Kartoffelgratin; gratin dauphinois; patatas gratinadas; khoai nướng; ポテトグラタン; 奶油焗土豆
        quiche; 8.5 19 19 1.1 2.2 1; slice 150; Lauchkuchen; quiche; tarta salada; bánh trứng mặn; キッシュ; 法式咸派
        tortilla with potatoes; 6.5 10 9 1.3 1 0.8; slice 120; Kartoffelomelett; omelette espagnole; tortilla española; trứng khoai; スペインオムレツ; 土豆蛋饼
        schnitzel; 18 14 12 0.9 0.7 1; piece 180; Wiener Schnitzel; escalope panée; escalope empanado; thịt chiên xù; シュニッツェル; 炸猪排
        currywurst; 10 11 20 0.8 8 2.2; serving 250; Currywurst; saucisse au curry; salchicha al curry; xúc xích cà ri; カレーソーセージ; 咖喱香肠
        doner kebab; 12 19 9 1.5 2 1.3; piece 350; Dönertasche; kebab; kebab turco; bánh mì Thổ; ドネルケバブ; 土耳其烤肉
        falafel; 13.3 31.8 17.8 4.9 2 1.1; piece 17; Kichererbsenbällchen; boulette de pois chiches; faláfel; đậu gà chiên; ファラフェル; 炸鹰嘴豆丸
        gyros; 20 4 13 0.7 1.5 1.6; serving 200; Gyros; viande grecque; carne griega; thịt xiên Hy Lạp; ギロ; 希腊烤肉
        burrito; 8 26 8.5 3 1.5 1.2; piece 280; Burrito; burrito; burrito mexicano; bánh cuộn Mexico; ブリトー; 墨西哥卷饼
        taco; 9 20 11 2.5 1.8 0.9; piece 100; Taco; taco; taco mexicano; bánh taco; タコス; 墨西哥塔可
        nachos with cheese; 8 36 19 3.5 2.5 1.4; serving 150; Nachos mit Käse; nachos au fromage; nachos con queso; bánh ngô phô mai; ナチョス; 芝士玉米片
        hot dog; 10.5 18 14.5 0.9 4 1.6; piece 120; Hotdog; hot-dog; perrito caliente; bánh mì xúc xích; ホットドッグ; 热狗
        fish and chips; 9 19 11 1.7 0.5 0.8; serving 400; Backfisch; poisson frites; pescado frito; cá chiên khoai; フィッシュ＆チップス; 炸鱼薯条
        sushi; 5.5 28 2 0.8 4 0.9; piece 30, serving 240; Sushi; sushi; sushi variado; cơm cuộn; 寿司; 寿司拼盘
        miso soup; 2.2 2.6 1 0.6 0.8 1; bowl 200; Misosuppe; soupe miso; sopa de miso; súp miso; 味噌汁; 味噌汤
        tempura; 7.5 20 11 1.1 1 0.6; serving 150; Tempura; beignets japonais; tempura japonesa; tôm rau chiên; 天ぷら; 天妇罗
        okonomiyaki; 7 17 8 1.5 3.5 1.1; piece 250; japanischer Pfannkuchen; galette japonaise; tortilla japonesa; bánh xèo Nhật; お好み焼き; 大阪烧
        gyoza; 8 22 8 1.6 2 1.1; piece 20; Teigtaschen; raviolis grillés; empanadilla japonesa; há cảo chiên; 餃子; 煎饺
        bibimbap; 5.5 17 4 1.5 2 0.8; bowl 450; Bibimbap; riz coréen; arroz coreano; cơm trộn Hàn Quốc; ビビンバ; 石锅拌饭
        bulgogi; 15 8 8 0.8 6 1.2; serving 200; Feuerfleisch; bœuf coréen; ternera coreana; bò nướng Hàn Quốc; プルコギ; 韩式烤牛肉
        pad thai; 7 22 7 1.2 5 1.2; plate 350; Reisbandnudeln; nouilles thaïes; fideos tailandeses; phở xào Thái; パッタイ; 泰式炒河粉
        green curry; 7 5 9 1.2 2.5 1; bowl 300; grünes Curry; curry vert; curry verde; cà ri xanh; グリーンカレー; 绿咖喱
        tom yum soup; 4 3.5 1.5 0.6 1.8 1.2; bowl 300; sauer-scharfe Suppe; soupe tom yam; sopa tailandesa; canh chua Thái; トムヤムクン; 冬阴功汤
        pho with beef; 5 9 1.5 0.4 0.8 0.8; bowl 600; Reisnudelsuppe; soupe phô; sopa de fideos de arroz; phở bò; フォー; 牛肉河粉
        bun cha; 8 16 7 0.9 4 1.2; bowl 400; Grillfleischnudeln; vermicelles au porc; fideos con cerdo; bún chả; ブンチャー; 烤肉米线
        banh mi with pork; 10 28 9 1.8 4 1.3; piece 220; vietnamesisches Baguette; sandwich vietnamien; bocadillo vietnamita; bánh mì thịt; バインミー; 越式三明治
        spring roll; 5.5 24 9 1.7 2.2 0.9; piece 60; Frühlingsrolle; nem; rollito de primavera; chả giò; 春巻き; 春卷
        summer roll; 5 17 1.2 1.1 1.4 0.6; piece 80; Sommerrolle; rouleau de printemps; rollito fresco; gỏi cuốn; 生春巻き; 越南卷
        sweet and sour pork; 10 18 9 0.9 12 0.9; serving 300; Schweinefleisch süßsauer; porc aigre-doux; cerdo agridulce; sườn chua ngọt; 酢豚; 咕咾肉
        kung pao chicken; 12 7 9 1.4 3.5 1.2; serving 300; scharfes Erdnusshähnchen; poulet aux cacahuètes; pollo kung pao; gà cung bảo; 宮保鶏丁; 宫保鸡丁
        mapo tofu; 7.5 4 8.5 0.9 1.2 1.3; serving 300; scharfer Tofu; tofu épicé; tofu picante; đậu phụ Tứ Xuyên; 麻婆豆腐; 麻婆豆腐煲
        chow mein; 6.5 22 6 1.6 2 1.1; plate 300; gebratene Nudeln; nouilles sautées; fideos fritos; mì xào; 焼きそば; 炒面
        dim sum; 8 20 6 1 2 1; piece 30; gedämpfte Teigtaschen; bouchées vapeur; empanadillas al vapor; hoành thánh hấp; 点心; 广式点心
        congee; 1.2 10 0.3 0.2 0.1 0.4; bowl 300; Reisbrei; bouillie de riz; gachas de arroz; cháo; お粥; 粥
        chicken tikka masala; 11 6 8.5 1.2 3 0.9; serving 300; Würzhähnchen; poulet tikka; pollo tikka; gà sốt Ấn Độ; チキンティッカ; 印度烤鸡咖喱
        dal; 5.5 13 3 3.6 1.3 0.6; bowl 250; Linsencurry; curry de lentilles; curry de lentejas; cà ri đậu lăng; ダール; 印度豆糊
        samosa; 5 30 14 2.8 2 1; piece 60; indische Teigtasche; beignet indien; empanadilla india; bánh gối Ấn Độ; サモサ; 咖喱角
        biryani; 7 22 6 1.2 1.3 0.8; plate 350; gewürzter Reis; riz épicé; arroz especiado; cơm Ấn Độ; ビリヤニ; 印度香饭
        palak paneer; 7.5 5 12 1.8 1.7 0.8; serving 250; Spinat mit Käse; épinards au fromage; espinacas con queso; rau bina phô mai; パラクパニール; 菠菜奶酪
        couscous salad; 4 20 5 2 2.5 0.6; serving 200; Couscoussalat; salade de semoule; ensalada de cuscús; salad couscous; クスクスサラダ; 古斯米沙拉
        shakshuka; 6 5.5 6.5 1.4 3.5 0.7; serving 250; Eier in Tomatensoße; œufs à la tomate; huevos con tomate; trứng sốt cà; シャクシュカ; 番茄炖蛋
        tagine with lamb; 9 8 7 1.5 4 0.7; serving 300; Lammtopf; tajine d'agneau; tajín de cordero; cừu hầm; タジン; 塔吉锅羊肉
        stuffed peppers; 6 8 5 1.3 3 0.7; piece 200; gefüllte Paprika; poivrons farcis; pimientos rellenos; ớt nhồi thịt; ピーマンの肉詰め; 酿甜椒
        cabbage roll; 6.5 6 5 1.4 2.5 0.7; piece 150; Kohlroulade; chou farci; rollo de col; bắp cải cuộn thịt; ロールキャベツ; 卷心菜卷
        pierogi; 6.5 30 6 1.7 2 0.9; piece 35; Piroggen; raviolis polonais; empanadilla polaca; bánh bột Ba Lan; ピエロギ; 波兰饺子
        borscht; 1.8 6 2 1.4 3.5 0.7; bowl 300; Rote-Bete-Suppe; bortsch; sopa de remolacha; súp củ dền; ボルシチ; 罗宋汤
        spaetzle; 6.5 26 3.5 1.3 0.5 0.5; serving 200; Spätzle; pâtes souabes; pasta alemana; mì Đức; シュペッツレ; 德式面疙瘩
        potato pancake; 3.5 24 11 2.2 1 0.8; piece 60; Kartoffelpuffer; galette de pommes de terre; tortita de patata; bánh khoai tây; ポテトパンケーキ; 土豆饼
        raclette; 9 11 13 1.1 1 1; serving 350; Raclette; raclette; raclette suiza; phô mai nướng khoai; ラクレット; 烤奶酪土豆
        fondue; 14 11 16 0.6 1 1.1; serving 300; Käsefondue; fondue; fondue de queso; lẩu phô mai; チーズフォンデュ; 奶酪火锅
        porridge; 3.5 13 2.3 1.7 2.5 0.1; bowl 250; Haferbrei; gruau; gachas de avena; cháo yến mạch; ポリッジ; 燕麦粥
        avocado toast; 6 24 11.5 5 2 0.9; piece 130; Avocadobrot; tartine à l'avocat; tostada de aguacate; bánh mì bơ; アボカドトースト; 牛油果吐司
        poke bowl; 7.5 16 5 1.8 3 0.8; bowl 400; Fischschale; bol de poisson cru; bol de pescado; cơm cá sống; ポキ丼; 夏威夷拌饭
        """
    )
}
