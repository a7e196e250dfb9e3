import FoodDiaryKit

extension SampleFoods {
    static let fats = SampleFoods(
        category: .fat,
        """
        *olive oil; 0 0 100 0 0 0; tablespoon 14, teaspoon 5; Olivenöl; huile d'olive; aceite de oliva; dầu ô liu; オリーブオイル; 橄榄油
        *rapeseed oil; 0 0 100 0 0 0; tablespoon 14; Rapsöl; huile de colza; aceite de colza; dầu cải; なたね油; 菜籽油
        *margarine; 0.2 0.7 80 0 0 0.3; tablespoon 14; Pflanzenmargarine; margarine; margarina; bơ thực vật; マーガリン; 人造黄油
        *mayonnaise; 1 0.6 75 0 0.6 1.6; tablespoon 14; Mayonnaise; mayonnaise; mayonesa; sốt trứng; マヨネーズ; 蛋黄酱
        sunflower oil; 0 0 100 0 0 0; tablespoon 14; Sonnenblumenöl; huile de tournesol; aceite de girasol; dầu hướng dương; ひまわり油; 葵花籽油
        sesame oil; 0 0 100 0 0 0; teaspoon 5; Sesamöl; huile de sésame; aceite de sésamo; dầu mè; ごま油; 香油
        coconut oil; 0 0 99 0 0 0; tablespoon 14; Kokosöl; huile de coco; aceite de coco; dầu dừa; ココナッツオイル; 椰子油
        linseed oil; 0 0 100 0 0 0; tablespoon 14; Leinöl; huile de lin; aceite de linaza; dầu lanh; 亜麻仁油; 亚麻籽油
        peanut oil; 0 0 100 0 0 0; tablespoon 14; Erdnussöl; huile d'arachide; aceite de cacahuete; dầu lạc; ピーナッツ油; 花生油
        ghee; 0.3 0 99.5 0 0 0; tablespoon 13; Butterschmalz; beurre clarifié; mantequilla clarificada; bơ trong; ギー; 酥油
        lard; 0 0 99 0 0 0; tablespoon 13; Schweineschmalz; saindoux; manteca de cerdo; mỡ heo; ラード; 猪油
        salad dressing; 0.8 9 38 0.4 7 1.8; tablespoon 15; Salatsoße; vinaigrette; aliño; sốt salad; ドレッシング; 沙拉酱
        """
    )

    static let sweets = SampleFoods(
        category: .sweet,
        """
        *sugar; 0 100 0 0 100 0; teaspoon 4, cube 3; Zucker; sucre; azúcar; đường; 砂糖; 糖
        *honey; 0.3 82.4 0 0.2 82.1 0.01; tablespoon 21; Honig; miel; miel de abeja; mật ong; はちみつ; 蜂蜜
        *jam; 0.4 65 0.1 1.1 60 0.02; tablespoon 20; Konfitüre; confiture; mermelada; mứt; ジャム; 果酱
        *dark chocolate; 7.8 45.9 42.6 10.9 24 0.05; square 8; Bitterschokolade; chocolat noir; chocolate negro; sô cô la đen; ダークチョコ; 黑巧克力
        *milk chocolate; 7.7 59.4 29.7 3.4 51.5 0.2; square 8; Milchschokolade; chocolat au lait; chocolate con leche; sô cô la sữa; ミルクチョコ; 牛奶巧克力
        *ice cream; 3.5 23.6 11 0.7 21.2 0.2; scoop 60; Speiseeis; glace; helado; kem lạnh; アイスクリーム; 冰淇淋
        *biscuit; 6.5 68 16 2.3 22 0.8; piece 8; Keks; biscuit; galleta; bánh quy; ビスケット; 饼干
        *croissant; 8.2 45.8 21 2.6 11.3 1.1; piece 57; Hörnchen; croissant; cruasán; bánh sừng bò; クロワッサン; 可颂
        *crisps; 6.6 53 34 4.4 0.4 1.3; bag 40, handful 15; Kartoffelchips; chips; patatas fritas de bolsa; bim bim; ポテトチップス; 薯片
        *nut cream; 6.3 57.5 30.9 3.4 56.3 0.1; tablespoon 20; Nussnougatcreme; pâte à tartiner; crema de cacao; bơ sô cô la; ヌテラ風; 榛子巧克力酱
        *gummy bears; 6.9 77 0.2 0 46 0.1; handful 30; Gummibärchen; oursons gélifiés; ositos de goma; kẹo dẻo; グミ; 小熊软糖
        white chocolate; 5.9 59.2 32.1 0.2 59 0.25; square 8; weiße Schokolade; chocolat blanc; chocolate blanco; sô cô la trắng; ホワイトチョコ; 白巧克力
        maple syrup; 0 67 0.1 0 60.5 0.03; tablespoon 20; Ahornsirup; sirop d'érable; jarabe de arce; xi rô phong; メープルシロップ; 枫糖浆
        marzipan; 8 57 25 4 48 0; piece 20; Marzipan; pâte d'amande; mazapán; bánh hạnh nhân; マジパン; 杏仁糖
        nougat; 5 75 12 1.5 65 0.1; piece 20; Nougat; nougat; turrón; kẹo nougat; ヌガー; 牛轧糖
        liquorice; 3.8 75 0.5 1 46 0.5; piece 5; Lakritz; réglisse; regaliz; cam thảo; リコリス; 甘草糖
        marshmallow; 1.8 80 0.2 0.1 57.6 0.2; piece 7; Mäusespeck; guimauve; nube de azúcar; kẹo xốp; マシュマロ; 棉花糖
        cheesecake; 5.5 25.5 22.5 0.4 21.8 0.6; slice 125; Käsekuchen; gâteau au fromage; tarta de queso; bánh phô mai; チーズケーキ; 芝士蛋糕
        apple pie; 2 34 11 1.6 15.6 0.5; slice 125; Apfelkuchen; tarte aux pommes; tarta de manzana; bánh táo; アップルパイ; 苹果派
        chocolate cake; 5.3 50.7 16.4 2.8 36 0.8; slice 95; Schokokuchen; gâteau au chocolat; pastel de chocolate; bánh sô cô la; チョコレートケーキ; 巧克力蛋糕
        sponge cake; 5.4 61 2.7 0.5 36.7 0.6; slice 60; Biskuitboden; génoise; bizcocho; bánh bông lan; スポンジケーキ; 海绵蛋糕
        muffin; 5.3 53 16 1.3 28 0.8; piece 110; Muffin; muffin; magdalena; bánh nướng xốp; マフィン; 松饼蛋糕
        brownie; 4.8 63.9 16.3 2.1 36.6 0.8; piece 56; Brownie; brownie; bizcocho de chocolate; bánh brownie; ブラウニー; 布朗尼
        doughnut; 4.9 51.3 22.9 1.5 22 0.8; piece 64; Krapfen; beignet; rosquilla; bánh rán; ドーナツ; 甜甜圈
        pancake; 6.4 28.3 9.7 0.9 8 1; piece 38; Pfannkuchen; crêpe épaisse; tortita; bánh kếp; パンケーキ; 薄煎饼
        waffle; 7.9 32.9 14.1 1.2 9 1.1; piece 75; Waffel; gaufre; gofre; bánh quế; ワッフル; 华夫饼
        crêpe; 6.5 26 8.5 0.9 7 0.6; piece 60; Crêpe; crêpe; crepe; bánh kếp Pháp; クレープ; 可丽饼
        tiramisu; 4.6 28 17 0.5 19 0.2; serving 120; Tiramisu; tiramisu; tiramisú; bánh tiramisu; ティラミス; 提拉米苏
        panna cotta; 2.6 16 22 0 15.5 0.1; serving 120; Sahnepudding; panna cotta; crema cuajada; kem Ý; パンナコッタ; 意式奶冻
        rice pudding; 3.3 18 2.5 0.2 10.5 0.1; cup 200; Milchreis; riz au lait; arroz con leche; cơm sữa; ライスプディング; 米布丁
        gingerbread; 5.5 68 8 2 38 0.6; piece 40; Lebkuchen; pain d'épices; pan de jengibre; bánh gừng; ジンジャーブレッド; 姜饼
        stollen; 5.5 55 17 2.5 30 0.5; slice 50; Christstollen; brioche de Noël; pan dulce navideño; bánh Giáng sinh; シュトーレン; 圣诞面包
        cinnamon roll; 6.2 51 14.5 2 20 0.9; piece 90; Zimtschnecke; roulé à la cannelle; rollo de canela; bánh quế cuộn; シナモンロール; 肉桂卷
        baklava; 6.7 37.5 29.2 2.7 23 0.6; piece 40; Baklava; baklava; baclava; bánh baklava; バクラヴァ; 果仁蜜饼
        halva; 12.5 60.5 21.5 4.5 45 0.5; piece 30; Halwa; halva; halva; kẹo mè; ハルヴァ; 芝麻糖
        mochi; 4 52 0.6 1 27 0.02; piece 45; Reiskuchen; gâteau de riz; pastelito de arroz; bánh mochi; 餅; 麻糬
        mooncake; 7.5 52 18 2.5 32 0.3; piece 90; Mondkuchen; gâteau de lune; pastel de luna; bánh trung thu; 月餅; 月饼
        cereal bar; 7 64 14 6 28 0.4; piece 25; Müsliriegel; barre de céréales; barrita de cereales; thanh ngũ cốc; シリアルバー; 谷物棒
        protein bar; 33 34 12 9 6 0.5; piece 60; Proteinriegel; barre protéinée; barrita proteica; thanh đạm; プロテインバー; 蛋白棒
        popcorn; 12.9 62 20 10 0.9 1.5; cup 8; Puffmais; maïs soufflé; palomitas; bỏng ngô; ポップコーン; 爆米花
        salt sticks; 10 75 4 4 3 4; handful 20; Salzstangen; bâtonnets salés; palitos salados; bánh que mặn; プレッツェルスティック; 咸饼干条
        sorbet; 0.3 30 0.2 0.5 27 0.01; scoop 60; Fruchteis; sorbet; sorbete; kem trái cây; シャーベット; 雪葩
        """
    )

    static let seasonings = SampleFoods(
        category: .spice,
        """
        *salt; 0 0 0 0 0 99.9; pinch 0.4, teaspoon 6; Salz; sel; sal; muối; 塩; 盐
        *black pepper; 10.4 63.9 3.3 25.3 0.6 0.05; pinch 0.3, teaspoon 2; schwarzer Pfeffer; poivre noir; pimienta negra; tiêu đen; 黒こしょう; 黑胡椒
        *ketchup; 1 27.4 0.1 0.3 21.3 2.3; tablespoon 17; Tomatenketchup; sauce tomate; salsa kétchup; tương cà; ケチャップ; 番茄沙司
        *mustard; 3.7 5.8 3.3 4 0.9 2.8; teaspoon 5; Senf; moutarde; mostaza; mù tạt; マスタード; 芥末
        *soy sauce; 8.1 4.9 0.6 0.8 0.4 13.7; tablespoon 16; Sojasoße; sauce soja; salsa de soja; nước tương; 醤油; 酱油
        *vinegar; 0 0.9 0 0 0.4 0.01; tablespoon 15; Essig; vinaigre; vinagre; giấm; 酢; 醋
        *parsley; 3 6.3 0.8 3.3 0.9 0.14; tablespoon 4; Petersilie; persil; perejil; mùi tây; パセリ; 欧芹
        basil; 3.2 2.7 0.6 1.6 0.3 0.01; leaf 0.5, tablespoon 3; Basilikum; basilic; albahaca; húng quế; バジル; 罗勒
        coriander; 2.1 3.7 0.5 2.8 0.9 0.12; tablespoon 3; Koriander; coriandre; cilantro; rau mùi; パクチー; 芫荽
        dill; 3.5 7 1.1 2.1 0 0.15; tablespoon 3; Dill; aneth; eneldo; thì là; ディル; 莳萝
        chives; 3.3 4.4 0.7 2.5 1.9 0.01; tablespoon 3; Schnittlauch; ciboulette; cebollino; hẹ; チャイブ; 细香葱
        mint; 3.8 14.9 0.9 8 0 0.08; leaf 0.3; Minze; menthe; hierbabuena; bạc hà; ミント; 薄荷
        rosemary; 3.3 20.7 5.9 14.1 0 0.07; teaspoon 1; Rosmarin; romarin; romero; hương thảo; ローズマリー; 迷迭香
        thyme; 5.6 24.5 1.7 14 0 0.02; teaspoon 1; Thymian; thym; tomillo; cỏ xạ hương; タイム; 百里香
        oregano; 9 68.9 4.3 42.5 4.1 0.06; teaspoon 1; Oregano; origan; orégano; kinh giới; オレガノ; 牛至
        sage; 10.6 60.7 12.8 40.3 1.7 0.03; teaspoon 1; Salbei; sauge; salvia; xô thơm; セージ; 鼠尾草
        lemongrass; 1.8 25.3 0.5 2 0 0.02; stalk 15; Zitronengras; citronnelle; hierba limón; sả; レモングラス; 香茅
        ginger; 1.8 17.8 0.8 2 1.7 0.03; slice 3; Ingwer; gingembre; jengibre; gừng; しょうが; 生姜
        turmeric; 9.7 67.1 3.3 22.7 3.2 0.07; teaspoon 3; Kurkuma; curcuma; cúrcuma; nghệ; ターメリック; 姜黄
        cinnamon; 4 80.6 1.2 53.1 2.2 0.03; teaspoon 3; Zimt; cannelle; canela; quế; シナモン; 肉桂
        cumin; 17.8 44.2 22.3 10.5 2.3 0.42; teaspoon 2; Kreuzkümmel; cumin; comino; thì là Ai Cập; クミン; 孜然
        caraway; 19.8 49.9 14.6 38 0.6 0.04; teaspoon 2; Kümmel; carvi; alcaravea; ca rum; キャラウェイ; 葛缕子
        nutmeg; 5.8 49.3 36.3 20.8 3 0.04; pinch 0.3; Muskatnuss; noix de muscade; nuez moscada; nhục đậu khấu; ナツメグ; 肉豆蔻
        cardamom; 10.8 68.5 6.7 28 0 0.05; teaspoon 2; Kardamom; cardamome; cardamomo; bạch đậu khấu; カルダモン; 豆蔻
        curry powder; 14.3 55.8 14 33.2 2.8 0.13; teaspoon 2; Currypulver; poudre de curry; curri; bột cà ri; カレー粉; 咖喱粉
        chili; 1.9 8.8 0.4 1.5 5.3 0.02; piece 45; Chilischote; piment; guindilla; ớt; 唐辛子; 辣椒
        smoked paprika; 14.1 54 12.9 34.9 10.3 0.17; teaspoon 2; Paprikapulver; paprika fumé; pimentón; bột ớt hun khói; パプリカパウダー; 烟熏红椒粉
        vanilla sugar; 0.1 98 0.1 0.3 97 0; sachet 8; Vanillezucker; sucre vanillé; azúcar vainillado; đường vani; バニラシュガー; 香草糖
        fish sauce; 5.1 3.6 0 0 3.6 19.9; tablespoon 18; Fischsoße; sauce de poisson; salsa de pescado; nước mắm; ナンプラー; 鱼露
        oyster sauce; 1.4 11 0.3 0.3 0 6.8; tablespoon 18; Austernsoße; sauce d'huître; salsa de ostras; dầu hào; オイスターソース; 蚝油
        chili sauce; 1.9 22 0.9 2 17 5.3; teaspoon 7; scharfe Soße; sauce pimentée; salsa picante; tương ớt; チリソース; 辣椒酱
        pesto; 5 6 47 1.5 3 2.5; tablespoon 16; Basilikumpesto; pistou; salsa pesto; sốt húng quế; ペスト; 青酱
        miso; 12.8 25.4 6 5.4 6.2 9.3; tablespoon 17; Sojapaste; pâte de miso; pasta de miso; tương miso; 味噌; 味噌酱
        tomato purée; 4.3 18.9 0.5 4.1 12.2 0.15; tablespoon 16; Tomatenmark; concentré de tomate; tomate concentrado; tương cà chua; トマトピューレ; 番茄膏
        vegetable stock; 0.3 0.7 0.2 0.1 0.4 0.8; cup 240, cube 10; Gemüsebrühe; bouillon de légumes; caldo de verduras; nước dùng rau; 野菜ブイヨン; 蔬菜高汤
        balsamic vinegar; 0.5 17 0 0 15 0.06; tablespoon 16; Balsamessig; vinaigre balsamique; vinagre balsámico; giấm balsamic; バルサミコ酢; 香醋
        horseradish; 1.2 11.3 0.7 3.3 8 1; teaspoon 5; Meerrettich; raifort; rábano picante; cải ngựa; ホースラディッシュ; 辣根
        wasabi; 2.2 46 11 6 13 8.5; teaspoon 5; Wasabi; wasabi; wasabi verde; mù tạt xanh; わさび; 山葵
        capers; 2.4 4.9 0.9 3.2 0.4 5.9; tablespoon 9; Kapern; câpres; alcaparras; nụ bạch hoa; ケッパー; 刺山柑
        cocoa powder; 19.6 57.9 13.7 37 1.8 0.05; tablespoon 5; Kakaopulver; cacao en poudre; cacao en polvo; bột ca cao; ココアパウダー; 可可粉
        """
    )

    static let drinks = SampleFoods(
        category: .drink,
        """
        *water; 0 0 0 0 0 0; glass 250, bottle 500; Wasser; eau; agua; nước; 水; 饮用水
        *coffee; 0.1 0.3 0 0 0 0; cup 200, mug 300; Kaffee; café; café solo; cà phê; コーヒー; 咖啡
        *cappuccino; 2 3 1.8 0 3 0.06; cup 180; Milchkaffee; café crème; café con leche; cà phê sữa; カプチーノ; 卡布奇诺
        *black tea; 0 0.3 0 0 0 0.01; cup 240; Schwarztee; thé noir; té negro; trà đen; 紅茶; 红茶
        *green tea; 0.2 0 0 0 0 0; cup 240; Grüntee; thé vert; té verde; trà xanh; 緑茶; 绿茶
        *orange juice; 0.7 10.4 0.2 0.2 8.4 0; glass 200; Orangensaft; jus d'orange; zumo de naranja; nước cam; オレンジジュース; 橙汁
        *apple juice; 0.1 11.3 0.1 0.2 9.6 0.01; glass 200; Apfelsaft; jus de pomme; zumo de manzana; nước táo; りんごジュース; 苹果汁
        *cola; 0 10.6 0 0 10.6 0.01; can 330, glass 200; Cola; soda au cola; refresco de cola; nước ngọt cola; コーラ; 可乐
        *beer; 0.5 3.6 0 0 0 0.01 3.9; bottle 500, glass 330; Bier; bière; cerveza; bia; ビール; 啤酒
        *red wine; 0.1 2.6 0 0 0.6 0.01 10.6; glass 150; Rotwein; vin rouge; vino tinto; rượu vang đỏ; 赤ワイン; 红葡萄酒
        espresso; 0.1 1.7 0.2 0 0 0.04; cup 30; Espresso; expresso; café exprés; cà phê espresso; エスプレッソ; 浓缩咖啡
        iced coffee; 1.6 12 2.5 0 11.5 0.1; glass 250; Eiskaffee; café glacé; café helado; cà phê đá; アイスコーヒー; 冰咖啡
        herbal tea; 0 0.2 0 0 0 0; cup 240; Kräutertee; tisane; infusión; trà thảo mộc; ハーブティー; 花草茶
        fruit tea; 0 0.4 0 0 0.2 0; cup 240; Früchtetee; infusion aux fruits; té de frutas; trà trái cây; フルーツティー; 水果茶
        iced tea; 0 6.8 0 0 6.7 0.01; glass 250; Eistee; thé glacé; té helado; trà đá; アイスティー; 冰茶
        jasmine tea; 0 0.1 0 0 0 0; cup 240; Jasmintee; thé au jasmin; té de jazmín; trà nhài; ジャスミン茶; 茉莉花茶
        white wine; 0.1 2.6 0 0 1 0.01 10.3; glass 150; Weißwein; vin blanc; vino blanco; rượu vang trắng; 白ワイン; 白葡萄酒
        sparkling wine; 0.2 3 0 0 1.5 0.01 9.5; glass 120; Sekt; mousseux; cava; vang nổ; スパークリングワイン; 起泡酒
        cider; 0 5.9 0 0 5.9 0.01 3.6; bottle 330; Apfelwein; cidre; sidra; rượu táo; シードル; 苹果酒
        sake; 0.5 5 0 0 0 0 16; cup 180; Reiswein; alcool de riz; vino de arroz; rượu sake; 日本酒; 清酒
        whisky; 0 0 0 0 0 0 33; shot 30; Whisky; whisky; güisqui; rượu whisky; ウイスキー; 威士忌
        vodka; 0 0 0 0 0 0 33.4; shot 30; Wodka; vodka; aguardiente; rượu vodka; ウォッカ; 伏特加
        alcohol-free beer; 0.4 5 0 0 1.5 0.01 0.3; bottle 500; alkoholfreies Bier; bière sans alcool; cerveza sin alcohol; bia không cồn; ノンアルビール; 无醇啤酒
        lemonade; 0 10 0 0 9.8 0.01; glass 250; Limonade; limonade; gaseosa; nước chanh; レモネード; 柠檬水
        tomato juice; 0.9 3.5 0.3 0.4 2.6 0.6; glass 200; Tomatensaft; jus de tomate; zumo de tomate; nước cà chua; トマトジュース; 番茄汁
        grape juice; 0.4 14.8 0.1 0.2 14.2 0.01; glass 200; Traubensaft; jus de raisin; mosto; nước nho; ぶどうジュース; 葡萄汁
        carrot juice; 1 9.3 0.2 0.8 3.9 0.17; glass 200; Karottensaft; jus de carotte; zumo de zanahoria; nước cà rốt; にんじんジュース; 胡萝卜汁
        smoothie; 0.7 13 0.3 1.3 11.5 0.02; glass 250; Fruchtmix; smoothie; batido de frutas; sinh tố; スムージー; 果昔
        hot chocolate; 3.5 10.7 2.3 1 9.7 0.12; mug 250; Kakao; chocolat chaud; chocolate caliente; sô cô la nóng; ホットチョコレート; 热巧克力
        milkshake; 3.5 17.9 3 0.3 17 0.2; glass 300; Milchmix; lait frappé; batido; sữa lắc; ミルクセーキ; 奶昔
        energy drink; 0 11 0 0 11 0.2; can 250; Energiegetränk; boisson énergisante; bebida energética; nước tăng lực; エナジードリンク; 能量饮料
        isotonic drink; 0 6 0 0 5.5 0.1; bottle 500; Sportgetränk; boisson isotonique; bebida isotónica; nước điện giải; スポーツドリンク; 运动饮料
        coconut water; 0.7 3.7 0.2 1.1 2.6 0.26; glass 250; Kokoswasser; eau de coco; agua de coco; nước dừa; ココナッツウォーター; 椰子水
        oat drink; 1 6.6 1.5 0.8 4 0.1; glass 200; Haferdrink; boisson à l'avoine; bebida de avena; sữa yến mạch; オーツミルク; 燕麦奶
        soy drink; 3.3 2.5 1.8 0.6 2.2 0.1; glass 200; Sojadrink; boisson au soja; bebida de soja; sữa đậu nành; 豆乳; 豆浆
        almond drink; 0.5 2.4 1.1 0.4 2.2 0.13; glass 200; Mandeldrink; boisson à l'amande; bebida de almendras; sữa hạnh nhân; アーモンドミルク; 杏仁奶
        bubble tea; 0.5 15 1 0.1 11 0.02; cup 500; Perlentee; thé aux perles; té de burbujas; trà sữa trân châu; タピオカティー; 珍珠奶茶
        chai latte; 1.6 13 1.6 0 12 0.08; mug 250; Gewürztee; thé épicé; té especiado; trà chai; チャイ; 印度奶茶
        matcha; 30 39 5 38 0 0.02; teaspoon 2; Matcha; matcha; té matcha; trà matcha; 抹茶; 抹茶粉
        """
    )
}
