import FoodDiaryKit

extension SampleFoods {
    static let fruit = SampleFoods(
        category: .fruit,
        """
        *apple; 0.3 13.8 0.2 2.4 10.4 0; piece 180, slice 20; Apfel; pomme; manzana; táo; りんご; 苹果
        *banana; 1.1 22.8 0.3 2.6 12.2 0; piece 120, slice 8; Banane; banane; plátano; chuối; バナナ; 香蕉
        *orange; 0.9 11.8 0.1 2.4 9.4 0; piece 150; Orange; orange; naranja; cam; オレンジ; 橙子
        *strawberry; 0.7 7.7 0.3 2 4.9 0; cup 150, piece 12; Erdbeere; fraise; fresa; dâu tây; いちご; 草莓
        *blueberry; 0.7 14.5 0.3 2.4 10 0; cup 148, handful 40; Heidelbeere; myrtille; arándano; việt quất; ブルーベリー; 蓝莓
        *grape; 0.7 18.1 0.2 0.9 15.5 0; cup 150, handful 80; Weintraube; raisin; uva; nho; ぶどう; 葡萄
        *pear; 0.4 15.2 0.1 3.1 9.8 0; piece 175; Birne; poire; pera; lê; 洋梨; 梨
        *lemon; 1.1 9.3 0.3 2.8 2.5 0; piece 60, slice 8; Zitrone; citron; limón; chanh vàng; レモン; 柠檬
        *mandarin; 0.8 13.3 0.3 1.8 10.6 0; piece 75; Mandarine; mandarine; mandarina; quýt; みかん; 橘子
        *avocado; 2 8.5 14.7 6.7 0.7 0; piece 150, half 75; Avocado; avocat; aguacate; bơ; アボカド; 牛油果
        raspberry; 1.2 11.9 0.7 6.5 4.4 0; cup 123, handful 40; Himbeere; framboise; frambuesa; mâm xôi; ラズベリー; 覆盆子
        blackberry; 1.4 9.6 0.5 5.3 4.9 0; cup 144; Brombeere; mûre; mora; dâu đen; ブラックベリー; 黑莓
        cherry; 1.1 16 0.2 2.1 12.8 0; cup 138, piece 8; Kirsche; cerise; cereza; anh đào; さくらんぼ; 樱桃
        peach; 0.9 9.5 0.3 1.5 8.4 0; piece 150; Pfirsich; pêche; melocotón; đào; 桃; 桃子
        nectarine; 1.1 10.6 0.3 1.7 7.9 0; piece 140; Nektarine; brugnon; nectarina; xuân đào; ネクタリン; 油桃
        apricot; 1.4 11.1 0.4 2 9.2 0; piece 35; Aprikose; abricot; albaricoque; mơ; あんず; 杏
        plum; 0.7 11.4 0.3 1.4 9.9 0; piece 66; Pflaume; prune; ciruela; mận; プラム; 李子
        pineapple; 0.5 13.1 0.1 1.4 9.9 0; slice 85, cup 165; Ananas; ananas; piña; dứa; パイナップル; 菠萝
        mango; 0.8 15 0.4 1.6 13.7 0; piece 200, cup 165; Mango; mangue; mango; xoài; マンゴー; 芒果
        papaya; 0.5 10.8 0.3 1.7 7.8 0; cup 145; Papaya; papaye; papaya; đu đủ; パパイヤ; 木瓜
        kiwi; 1.1 14.7 0.5 3 9 0; piece 75; Kiwi; kiwi; kiwi; kiwi; キウイ; 猕猴桃
        watermelon; 0.6 7.6 0.2 0.4 6.2 0; slice 280, cup 152; Wassermelone; pastèque; sandía; dưa hấu; スイカ; 西瓜
        honeydew melon; 0.5 9.1 0.1 0.8 8.1 0; slice 125; Honigmelone; melon; melón; dưa lưới; メロン; 哈密瓜
        grapefruit; 0.8 10.7 0.1 1.6 6.9 0; half 123; Pampelmuse; pamplemousse; pomelo; bưởi chùm; グレープフルーツ; 葡萄柚
        pomelo; 0.8 9.6 0 1 8 0; slice 60; Pomelo; pomélo; pampelmusa; bưởi; 文旦; 柚子
        lime; 0.7 10.5 0.2 2.8 1.7 0; piece 65; Limette; citron vert; lima; chanh; ライム; 青柠
        pomegranate; 1.7 18.7 1.2 4 13.7 0; cup 174; Granatapfel; grenade; granada; lựu; ざくろ; 石榴
        fig; 0.8 19.2 0.3 2.9 16.3 0; piece 50; Feige; figue; higo; sung ngọt; いちじく; 无花果
        date; 2.5 75 0.4 8 63 0; piece 8; Dattel; datte; dátil; chà là; デーツ; 椰枣
        lychee; 0.8 16.5 0.4 1.3 15.2 0; piece 10; Litschi; litchi; lichi; vải; ライチ; 荔枝
        dragon fruit; 1.2 13 0.4 2.9 9.8 0; piece 300; Drachenfrucht; pitaya; pitahaya; thanh long; ドラゴンフルーツ; 火龙果
        durian; 1.5 27.1 5.3 3.8 20 0; piece 60; Durian; durian; durián; sầu riêng; ドリアン; 榴莲
        jackfruit; 1.7 23.3 0.6 1.5 19.1 0; cup 165; Jackfrucht; jacquier; yaca; mít; ジャックフルーツ; 菠萝蜜
        rambutan; 0.7 20.9 0.2 0.9 19 0; piece 9; Rambutan; ramboutan; rambután; chôm chôm; ランブータン; 红毛丹
        guava; 2.6 14.3 1 5.4 8.9 0; piece 55; Guave; goyave; guayaba; ổi; グアバ; 番石榴
        passion fruit; 2.2 23.4 0.7 10.4 11.2 0; piece 18; Maracuja; fruit de la passion; maracuyá; chanh dây; パッションフルーツ; 百香果
        persimmon; 0.6 18.6 0.2 3.6 12.5 0; piece 168; Kaki; plaquemine; caqui; hồng; 柿; 柿子
        cranberry; 0.5 12 0.1 3.6 4.3 0; cup 100; Moosbeere; canneberge; arándano rojo; nam việt quất; クランベリー; 蔓越莓
        red currant; 1.4 13.8 0.2 4.3 7.4 0; cup 112; Johannisbeere; groseille; grosella; lý chua; 赤すぐり; 红醋栗
        gooseberry; 0.9 10.2 0.6 4.3 5 0; cup 150; Stachelbeere; groseille à maquereau; uva espina; lý gai; グズベリー; 鹅莓
        quince; 0.4 15.3 0.1 1.9 9 0; piece 92; Quitte; coing; membrillo; mộc qua; マルメロ; 榅桲
        rhubarb; 0.9 4.5 0.2 1.8 1.1 0; stalk 51; Rhabarber; rhubarbe; ruibarbo; đại hoàng; ルバーブ; 大黄
        raisins; 3.1 79.2 0.5 3.7 59.2 0.03; handful 40, tablespoon 10; Rosinen; raisins secs; pasas; nho khô; レーズン; 葡萄干
        prunes; 2.2 63.9 0.4 7.1 38.1 0; piece 9; Backpflaumen; pruneaux; ciruelas pasas; mận khô; プルーン; 西梅
        apple sauce; 0.2 17.5 0.2 1.2 14.7 0; cup 250, tablespoon 16; Apfelmus; compote de pommes; puré de manzana; sốt táo; アップルソース; 苹果酱
        """
    )

    static let vegetables = SampleFoods(
        category: .vegetable,
        """
        *tomato; 0.9 3.9 0.2 1.2 2.6 0.01; piece 120, slice 20; Tomate; tomate; jitomate; cà chua; トマト; 番茄
        *potato; 2 17.5 0.1 2.2 0.8 0.02; piece 150; Kartoffel; pomme de terre; patata; khoai tây; じゃがいも; 土豆
        *carrot; 0.9 9.6 0.2 2.8 4.7 0.17; piece 60; Karotte; carotte; zanahoria; cà rốt; にんじん; 胡萝卜
        *onion; 1.1 9.3 0.1 1.7 4.2 0.01; piece 110, slice 10; Zwiebel; oignon; cebolla; hành tây; 玉ねぎ; 洋葱
        *cucumber; 0.7 3.6 0.1 0.5 1.7 0; piece 300, slice 7; Gurke; concombre; pepino; dưa chuột; きゅうり; 黄瓜
        *bell pepper; 1 6 0.3 2.1 4.2 0.01; piece 150; Paprika; poivron; pimiento; ớt chuông; ピーマン; 甜椒
        *lettuce; 1.4 2.9 0.2 1.3 0.8 0.07; leaf 15, cup 36; Kopfsalat; laitue; lechuga; xà lách; レタス; 生菜
        *broccoli; 2.8 6.6 0.4 2.6 1.7 0.08; cup 91; Brokkoli; brocoli; brócoli; bông cải xanh; ブロッコリー; 西兰花
        *spinach; 2.9 3.6 0.4 2.2 0.4 0.2; cup 30, handful 25; Spinat; épinard; espinaca; rau bina; ほうれん草; 菠菜
        *mushroom; 3.1 3.3 0.3 1 2 0.01; piece 18, cup 70; Champignon; champignon de Paris; champiñón; nấm; マッシュルーム; 蘑菇
        *courgette; 1.2 3.1 0.3 1 2.5 0.02; piece 196; Zucchini; courgette; calabacín; bí ngòi; ズッキーニ; 西葫芦
        *garlic; 6.4 33.1 0.5 2.1 1 0.04; clove 3; Knoblauch; ail; ajo; tỏi; にんにく; 大蒜
        cauliflower; 1.9 5 0.3 2 1.9 0.08; cup 107; Blumenkohl; chou-fleur; coliflor; súp lơ; カリフラワー; 花菜
        aubergine; 1 5.9 0.2 3 3.5 0; piece 300, slice 20; Aubergine; aubergine; berenjena; cà tím; なす; 茄子
        sweet potato; 1.6 20.1 0.1 3 4.2 0.14; piece 130; Süßkartoffel; patate douce; batata; khoai lang; さつまいも; 红薯
        pumpkin; 1 6.5 0.1 0.5 2.8 0; cup 116; Kürbis; citrouille; calabaza; bí đỏ; かぼちゃ; 南瓜
        butternut squash; 1 11.7 0.1 2 2.2 0.01; cup 140; Butternusskürbis; courge musquée; calabaza cacahuete; bí hồ lô; バターナッツ; 奶油南瓜
        white cabbage; 1.3 5.8 0.1 2.5 3.2 0.05; cup 89; Weißkohl; chou blanc; repollo; bắp cải; キャベツ; 卷心菜
        red cabbage; 1.4 7.4 0.2 2.1 3.8 0.07; cup 89; Rotkohl; chou rouge; lombarda; bắp cải tím; 紫キャベツ; 紫甘蓝
        Chinese cabbage; 1.2 3.2 0.2 1.2 1.4 0.02; cup 76; Chinakohl; chou chinois; col china; cải thảo; 白菜; 大白菜
        Brussels sprout; 3.4 9 0.3 3.8 2.2 0.06; piece 19; Rosenkohl; chou de Bruxelles; col de Bruselas; cải tí hon; 芽キャベツ; 抱子甘蓝
        kale; 4.3 8.8 0.9 3.6 2.3 0.1; cup 21; Grünkohl; chou frisé; col rizada; cải xoăn; ケール; 羽衣甘蓝
        kohlrabi; 1.7 6.2 0.1 3.6 2.6 0.05; piece 150; Kohlrabi; chou-rave; colinabo; su hào; コールラビ; 苤蓝
        leek; 1.5 14.2 0.3 1.8 3.9 0.05; stalk 89; Lauch; poireau; puerro; tỏi tây; リーキ; 韭葱
        spring onion; 1.8 7.3 0.2 2.6 2.3 0.04; stalk 15; Frühlingszwiebel; cébette; cebolleta; hành lá; ねぎ; 葱
        celery; 0.7 3 0.2 1.6 1.3 0.2; stalk 40; Staudensellerie; céleri; apio; cần tây; セロリ; 芹菜
        celeriac; 1.5 9.2 0.3 1.8 1.6 0.25; cup 156; Knollensellerie; céleri-rave; apionabo; củ cần tây; 根セロリ; 根芹菜
        asparagus; 2.2 3.9 0.1 2.1 1.9 0; spear 16; Spargel; asperge; espárrago; măng tây; アスパラガス; 芦笋
        artichoke; 3.3 10.5 0.2 5.4 1 0.24; piece 120; Artischocke; artichaut; alcachofa; a ti sô; アーティチョーク; 洋蓟
        beetroot; 1.6 9.6 0.2 2.8 6.8 0.2; piece 82; Rote Bete; betterave; remolacha; củ dền; ビーツ; 甜菜根
        radish; 0.7 3.4 0.1 1.6 1.9 0.1; piece 9; Radieschen; radis; rábano; củ cải đỏ; ラディッシュ; 小萝卜
        white radish; 0.6 4.1 0.1 1.6 2.5 0.05; cup 116; Rettich; radis blanc; nabo japonés; củ cải trắng; 大根; 白萝卜
        turnip; 0.9 6.4 0.1 1.8 3.8 0.17; piece 122; Steckrübe; navet; nabo; củ cải; かぶ; 芜菁
        parsnip; 1.2 18 0.3 4.9 4.8 0.03; piece 133; Pastinake; panais; chirivía; củ cải vàng; パースニップ; 欧防风
        fennel; 1.2 7.3 0.2 3.1 3.9 0.13; bulb 234; Fenchel; fenouil; hinojo; thì là tây; フェンネル; 茴香
        sweetcorn; 3.3 18.7 1.4 2 6.3 0.04; cob 100, cup 145; Mais; maïs; maíz; ngô; とうもろこし; 玉米
        green peas; 5.4 14.5 0.4 5.7 5.7 0.01; cup 145; Erbsen; petits pois; guisantes; đậu Hà Lan; グリーンピース; 豌豆
        green beans; 1.8 7 0.2 2.7 3.3 0.02; cup 100; grüne Bohnen; haricots verts; judías verdes; đậu cô ve; いんげん; 四季豆
        bok choy; 1.5 2.2 0.2 1 1.2 0.16; cup 70; Pak Choi; pak-choï; pak choi; cải thìa; チンゲン菜; 小白菜
        water spinach; 2.6 3.1 0.2 2.1 0.4 0.28; cup 56; Wasserspinat; liseron d'eau; espinaca de agua; rau muống; 空心菜; 空心菜
        rocket; 2.6 3.7 0.7 1.6 2.1 0.07; handful 20; Rucola; roquette; rúcula; rau rốc; ルッコラ; 芝麻菜
        lamb's lettuce; 2 3.6 0.4 1.5 0.7 0.01; handful 25; Feldsalat; mâche; canónigos; xà lách cừu; マーシュ; 野苣
        chard; 1.8 3.7 0.2 1.6 1.1 0.53; cup 36; Mangold; blette; acelga; cải cầu vồng; ふだん草; 牛皮菜
        okra; 1.9 7.5 0.2 3.2 1.5 0.02; piece 12; Okra; gombo; quimbombó; đậu bắp; オクラ; 秋葵
        bitter melon; 1 3.7 0.2 2.8 1 0.01; cup 93; Bittermelone; margose; melón amargo; khổ qua; ゴーヤ; 苦瓜
        bamboo shoot; 2.6 5.2 0.3 2.2 3 0.01; cup 120; Bambussprosse; pousse de bambou; brote de bambú; măng; たけのこ; 竹笋
        bean sprouts; 3 5.9 0.2 1.8 4.1 0.02; cup 104; Sojasprossen; pousses de soja; brotes de soja; giá đỗ; もやし; 豆芽
        lotus root; 2.6 17.2 0.1 4.9 0.5 0.1; slice 10; Lotuswurzel; racine de lotus; raíz de loto; củ sen; れんこん; 莲藕
        taro; 1.5 26.5 0.2 4.1 0.4 0.03; cup 104; Taro; colocase; malanga; khoai môn; 里芋; 芋头
        cassava; 1.4 38.1 0.3 1.8 1.7 0.04; cup 206; Maniok; manioc; yuca; sắn; キャッサバ; 木薯
        shiitake; 2.2 6.8 0.5 2.5 2.4 0.02; piece 19; Shiitake; lentin du chêne; seta china; nấm hương; しいたけ; 香菇
        oyster mushroom; 3.3 6.1 0.4 2.3 1.1 0.05; cup 86; Austernpilz; pleurote; seta de ostra; nấm sò; ひらたけ; 平菇
        enoki mushroom; 2.7 7.8 0.3 2.7 0.2 0.01; pack 100; Samtfußrübling; collybie; seta enoki; nấm kim châm; えのき; 金针菇
        nori; 5.8 5.1 0.3 0.3 0.5 0.12; sheet 3; Nori; nori; alga nori; rong biển; 海苔; 紫菜
        sauerkraut; 0.9 4.3 0.1 2.9 1.8 1.65; cup 142; Sauerkraut; choucroute; chucrut; dưa cải bắp; ザワークラウト; 酸菜
        kimchi; 1.1 2.4 0.5 1.6 1.1 1.25; cup 150; Kimchi; kimchi; kimchi; kim chi; キムチ; 泡菜
        olives; 0.8 6.3 10.7 3.2 0.3 1.8; piece 4; Oliven; olives; aceitunas; ô liu; オリーブ; 橄榄
        gherkin; 0.4 2.4 0.2 1.1 1.2 2; piece 35; Gewürzgurke; cornichon; pepinillo; dưa chuột muối; ピクルス; 酸黄瓜
        sun-dried tomato; 14.1 55.8 3 12.3 37.6 0.6; piece 3; Dörrtomate; tomate séchée; tomate seco; cà chua phơi; ドライトマト; 番茄干
        """
    )
}
