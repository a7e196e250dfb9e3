import FoodDiaryKit

extension SampleFoods {
    static let grains = SampleFoods(
        category: .grain,
        """
        *rye bread; 8.5 48.3 3.3 5.8 3.9 1.5; slice 45; Roggenbrot; pain de seigle; pan de centeno; bánh mì đen; ライ麦パン; 黑麦面包
        *white bread; 8.9 49 3.2 2.7 5 1.2; slice 28; Weißbrot; pain blanc; pan blanco; bánh mì trắng; 食パン; 白面包
        *wholemeal bread; 12.5 42.7 3.5 6 4.4 1.1; slice 40; Vollkornbrot; pain complet; pan integral; bánh mì nguyên cám; 全粒粉パン; 全麦面包
        *bread roll; 9.5 52 2.2 2.8 2 1.3; piece 55; Brötchen; petit pain; panecillo; bánh mì tròn; ロールパン; 小圆面包
        *baguette; 9.2 55.5 1.5 3 2.8 1.4; slice 20, piece 250; Stangenbrot; baguette; barra de pan; bánh mì; フランスパン; 法棍
        *toast; 9 55 4 3 5.6 1.3; slice 25; Toastbrot; pain grillé; tostada; bánh mì nướng; トースト; 吐司
        *oats; 13.2 67.7 6.5 10.1 1 0.01; cup 80, tablespoon 8; Haferflocken; flocons d'avoine; avena; yến mạch; オートミール; 燕麦
        *muesli; 10 66 6 7.5 16 0.1; bowl 60; Müsli; muesli; cereales muesli; ngũ cốc; ミューズリー; 什锦麦片
        *cornflakes; 7.5 84 0.4 3.3 9.5 1.8; bowl 30; Maisflocken; pétales de maïs; copos de maíz; ngô chiên giòn; コーンフレーク; 玉米片
        *white rice; 2.7 28.2 0.3 0.4 0.1 0; cup 158, bowl 200; Reis; riz blanc; arroz blanco; cơm trắng; ご飯; 米饭
        *pasta; 5.8 30.9 0.9 1.8 0.6 0; cup 140, plate 200; Nudeln; pâtes; macarrones; mì ống; パスタ; 意大利面
        *spaghetti; 5.8 30.9 0.9 1.8 0.6 0; cup 140, plate 220; Fadennudeln; spaghettis; espaguetis; mì Ý; スパゲッティ; 意面
        brown rice; 2.7 25.6 1 1.6 0.2 0; cup 195; Naturreis; riz complet; arroz integral; gạo lứt; 玄米; 糙米
        basmati rice; 3.5 25.2 0.4 0.7 0 0; cup 163; Basmatireis; riz basmati; arroz basmati; gạo basmati; バスマティ; 印度香米
        sticky rice; 2 21.1 0.2 1 0.1 0.01; cup 174; Klebreis; riz gluant; arroz glutinoso; xôi; もち米; 糯米
        wild rice; 4 21.3 0.3 1.8 0.7 0; cup 164; Wildreis; riz sauvage; arroz salvaje; gạo hoang; ワイルドライス; 菰米
        couscous; 3.8 23.2 0.2 1.4 0.1 0.01; cup 157; Couscous; semoule; cuscús; hạt couscous; クスクス; 古斯米
        bulgur; 3.1 18.6 0.2 4.5 0.1 0.01; cup 182; Bulgur; boulgour; trigo bulgur; lúa mì bulgur; ブルグル; 碾碎小麦
        quinoa; 4.4 21.3 1.9 2.8 0.9 0.02; cup 185; Quinoa; quinoa; quinua; diêm mạch; キヌア; 藜麦
        millet; 3.5 23.7 1 1.3 0.1 0.01; cup 174; Hirse; millet; mijo; kê; きび; 小米
        buckwheat; 3.4 19.9 0.6 2.7 0.9 0.01; cup 168; Buchweizen; sarrasin; alforfón; kiều mạch; そば; 荞麦
        pearl barley; 2.3 28.2 0.4 3.8 0.3 0.01; cup 157; Graupen; orge perlé; cebada; lúa mạch; 大麦; 大麦
        polenta; 1.9 16 0.4 1 0.2 0; cup 240; Maisgrieß; polenta; polenta; bột ngô; ポレンタ; 玉米糊
        semolina; 12.7 72.8 1.1 3.9 0.5 0; tablespoon 11; Grieß; semoule de blé; sémola; bột báng; セモリナ粉; 粗麦粉
        wheat flour; 10.3 76.3 1 2.7 0.3 0; cup 125, tablespoon 8; Weizenmehl; farine de blé; harina de trigo; bột mì; 小麦粉; 面粉
        spelt flour; 14.6 70 2.4 10.7 1 0; cup 120; Dinkelmehl; farine d'épeautre; harina de espelta; bột mì spelt; スペルト小麦粉; 斯佩尔特面粉
        rice flour; 6 80 1.4 2.4 0.1 0; cup 158; Reismehl; farine de riz; harina de arroz; bột gạo; 米粉; 米粉面
        wheat bran; 15.6 64.5 4.3 42.8 0.4 0; tablespoon 4; Weizenkleie; son de blé; salvado; cám lúa mì; ふすま; 麦麸
        rice noodles; 1.8 24 0.2 1 0 0.05; bowl 176; Reisnudeln; nouilles de riz; fideos de arroz; bún; ビーフン; 河粉
        egg noodles; 4.5 25.2 2.1 1.2 0.4 0.01; cup 160; Eiernudeln; nouilles aux œufs; fideos de huevo; mì trứng; 中華麺; 鸡蛋面
        glass noodles; 0.1 25 0.1 0.5 0 0.01; cup 190; Glasnudeln; vermicelles; fideos celofán; miến; 春雨; 粉丝
        udon; 2.6 21.6 0.4 0.8 0.4 0.3; bowl 250; Udon; udon; fideos udon; mì udon; うどん; 乌冬面
        soba; 5.1 21.4 0.1 1.5 0 0.15; bowl 230; Buchweizennudeln; nouilles de sarrasin; fideos soba; mì soba; 蕎麦; 荞麦面
        ramen noodles; 5 27 1 1.4 0.6 0.4; bowl 200; Ramen; nouilles ramen; fideos ramen; mì ramen; ラーメン; 拉面
        rice paper; 1.5 80 0.2 1 0 0.5; sheet 9; Reispapier; galette de riz; papel de arroz; bánh tráng; ライスペーパー; 越南米纸
        tortilla; 8.2 49.3 7.7 3.5 3 1.5; piece 49; Weizentortilla; galette de blé; tortilla de trigo; bánh bột mì; トルティーヤ; 玉米饼
        pita; 9.1 55.7 1.2 2.2 1.3 1.3; piece 60; Fladenbrot; pain pita; pan árabe; bánh mì pita; ピタパン; 皮塔饼
        naan; 9.6 50.4 5.7 2.2 3.6 1.2; piece 90; Naanbrot; pain naan; pan indio; bánh naan; ナン; 印度烤饼
        ciabatta; 9 50 3.7 2.5 1.8 1.4; slice 40; Ciabatta; pain italien; chapata; bánh mì Ý; チャバタ; 夏巴塔
        crispbread; 9.9 67 1.6 16.5 1.5 1; piece 11; Knäckebrot; pain croustillant; pan crujiente; bánh giòn; クリスプブレッド; 薄脆饼
        rice cake; 8.2 81.5 2.8 4.2 0.9 0.2; piece 9; Reiswaffel; galette soufflée; tortita de arroz; bánh gạo; ライスケーキ; 米饼
        pumpernickel; 6.9 40 1.5 9 4.5 1.2; slice 40; Pumpernickel; pain noir; pan negro; bánh mì lúa mạch đen; プンパーニッケル; 粗黑麦面包
        pretzel; 9 54 4 2.5 2.5 2.6; piece 85; Brezel; bretzel; lazo salado; bánh quy xoắn; プレッツェル; 椒盐卷饼
        bagel; 10.5 53 1.6 2.3 5.1 1.1; piece 98; Bagel; pain bagel; rosca de pan; bánh vòng; ベーグル; 贝果
        gnocchi; 4 32 0.8 1.8 0.6 0.9; plate 200; Kartoffelklößchen; gnocchis; ñoquis; bánh khoai Ý; ニョッキ; 土豆团子
        dumpling; 3.5 28 0.7 1.8 0.6 1.2; piece 90; Kloß; quenelle; bola de masa; bánh bột; だんご; 汤圆
        """
    )

    static let legumes = SampleFoods(
        category: .legume,
        """
        *lentils; 9 20.1 0.4 7.9 1.8 0.01; cup 198; Linsen; lentilles; lentejas; đậu lăng; レンズ豆; 扁豆
        *chickpeas; 8.9 27.4 2.6 7.6 4.8 0.02; cup 164; Kichererbsen; pois chiches; garbanzos; đậu gà; ひよこ豆; 鹰嘴豆
        *kidney beans; 8.7 22.8 0.5 7.4 0.3 0.01; cup 177; Kidneybohnen; haricots rouges; alubias rojas; đậu tây; 金時豆; 红腰豆
        *tofu; 8.1 1.9 4.8 0.3 0.6 0.02; slice 85, pack 200; Sojaquark; tofu; queso de soja; đậu phụ; 豆腐; 豆腐块
        *hummus; 7.9 14.3 9.6 6 0.3 0.95; tablespoon 15; Kichererbsenmus; houmous; paté de garbanzos; sốt đậu gà; フムス; 鹰嘴豆泥
        black beans; 8.9 23.7 0.5 8.7 0.3 0; cup 172; schwarze Bohnen; haricots noirs; frijoles negros; đậu đen; 黒豆; 黑豆
        white beans; 9.7 25.1 0.4 6.3 0.3 0.02; cup 179; weiße Bohnen; haricots blancs; judías blancas; đậu trắng; 白いんげん; 白芸豆
        red lentils; 7.6 17.5 0.4 5 1.2 0.01; cup 200; rote Linsen; lentilles corail; lentejas rojas; đậu lăng đỏ; 赤レンズ豆; 红扁豆
        mung beans; 7 19.2 0.4 7.6 2 0.01; cup 202; Mungbohnen; haricots mungo; judías mungo; đậu xanh; 緑豆; 绿豆
        adzuki beans; 7.5 24.8 0.1 7.3 0 0.02; cup 230; Adzukibohnen; haricots azuki; judías azuki; đậu đỏ; 小豆; 红豆
        soybeans; 18.2 8.4 9 6 3 0; cup 172; Sojabohnen; graines de soja; semillas de soja; đậu nành; 大豆; 黄豆
        edamame; 11.9 8.9 5.2 5.2 2.2 0.02; cup 155; grüne Sojabohnen; fèves de soja; vainas de soja; đậu nành non; 枝豆; 毛豆
        broad beans; 7.6 19.7 0.4 5.4 1.8 0.01; cup 170; dicke Bohnen; fèves; habas; đậu tằm; そら豆; 蚕豆
        split peas; 8.3 21.1 0.4 8.3 2.9 0.01; cup 196; Schälerbsen; pois cassés; guisantes partidos; đậu tách vỏ; スプリットピー; 豌豆瓣
        tempeh; 20.3 7.6 10.8 4 0 0.02; slice 40; Tempeh; tempé; tempe; đậu lên men; テンペ; 天贝
        soy mince; 50 30 1.2 16 12 0.03; cup 60; Sojaschnetzel; protéines de soja; soja texturizada; đạm đậu nành; 大豆ミート; 素肉末
        baked beans; 4.8 20.9 0.4 4.1 7.8 0.95; cup 254; Bohnen in Tomatensauce; haricots à la tomate; judías en tomate; đậu sốt cà; ベイクドビーンズ; 茄汁豆
        natto; 19.4 12.7 11 5.4 4.9 0.02; pack 45; Natto; soja fermenté; soja fermentada; đậu tương lên men; 納豆; 纳豆
        """
    )

    static let nuts = SampleFoods(
        category: .nut,
        """
        *almonds; 21.2 21.6 49.9 12.5 4.4 0; handful 30, piece 1.2; Mandeln; amandes; almendras; hạnh nhân; アーモンド; 杏仁
        *walnuts; 15.2 13.7 65.2 6.7 2.6 0; handful 30, piece 4; Walnüsse; noix; nueces; quả óc chó; くるみ; 核桃
        *peanut butter; 22.2 22.3 51.1 5 10.5 1.07; tablespoon 16; Erdnussbutter; beurre de cacahuète; mantequilla de maní; bơ đậu phộng; ピーナッツバター; 花生酱
        *peanuts; 25.8 16.1 49.2 8.5 4.7 0.05; handful 30; Erdnüsse; cacahuètes; cacahuetes; đậu phộng; 落花生; 花生
        hazelnuts; 15 16.7 60.8 9.7 4.3 0; handful 30; Haselnüsse; noisettes; avellanas; hạt phỉ; ヘーゼルナッツ; 榛子
        cashews; 18.2 30.2 43.9 3.3 5.9 0.03; handful 30; Cashewkerne; noix de cajou; anacardos; hạt điều; カシューナッツ; 腰果
        pistachios; 20.2 27.2 45.3 10.6 7.7 0; handful 30; Pistazien; pistaches; pistachos; hạt dẻ cười; ピスタチオ; 开心果
        pecans; 9.2 13.9 72 9.6 4 0; handful 30; Pekannüsse; noix de pécan; nueces pecanas; hồ đào; ピーカンナッツ; 碧根果
        macadamia nuts; 7.9 13.8 75.8 8.6 4.6 0.01; handful 30; Macadamianüsse; noix de macadamia; nueces de macadamia; mắc ca; マカダミアナッツ; 夏威夷果
        Brazil nuts; 14.3 11.7 67.1 7.5 2.3 0.01; piece 5; Paranüsse; noix du Brésil; nueces de Brasil; quả hạch Brazil; ブラジルナッツ; 巴西坚果
        chestnuts; 3.2 53 2.2 5.1 10.6 0; piece 8; Maronen; châtaignes; castañas; hạt dẻ; 栗; 栗子
        pine nuts; 13.7 13.1 68.4 3.7 3.6 0; tablespoon 9; Pinienkerne; pignons de pin; piñones; hạt thông; 松の実; 松子
        sunflower seeds; 20.8 20 51.5 8.6 2.6 0.02; tablespoon 9; Sonnenblumenkerne; graines de tournesol; pipas; hạt hướng dương; ひまわりの種; 葵花籽
        pumpkin seeds; 30.2 10.7 49.1 6 1.4 0.02; tablespoon 9; Kürbiskerne; graines de courge; semillas de calabaza; hạt bí; かぼちゃの種; 南瓜子
        sesame; 17.7 23.5 49.7 11.8 0.3 0.03; tablespoon 9; Sesam; sésame; sésamo; vừng; ごま; 芝麻
        flaxseed; 18.3 28.9 42.2 27.3 1.6 0.08; tablespoon 10; Leinsamen; graines de lin; linaza; hạt lanh; 亜麻仁; 亚麻籽
        chia seeds; 16.5 42.1 30.7 34.4 0 0.04; tablespoon 12; Chiasamen; graines de chia; semillas de chía; hạt chia; チアシード; 奇亚籽
        coconut; 3.3 15.2 33.5 9 6.2 0.05; piece 45; Kokosnuss; noix de coco; coco; dừa; ココナッツ; 椰子
        almond butter; 21 18.8 55.5 10.3 4.4 0.02; tablespoon 16; Mandelmus; purée d'amandes; crema de almendras; bơ hạnh nhân; アーモンドバター; 杏仁酱
        tahini; 17 21.2 53.8 9.3 0.5 0.1; tablespoon 15; Sesammus; purée de sésame; pasta de sésamo; sốt mè; 練りごま; 芝麻酱
        trail mix; 13.8 44.9 29.4 5 30 0.2; handful 40; Studentenfutter; mélange d'étudiant; mezcla de frutos secos; hạt trộn; ミックスナッツ; 混合坚果
        """
    )
}
