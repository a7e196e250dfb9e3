import FoodDiaryKit

/// A word added to the name of a food, such as how it is cooked.
struct SampleModifier {
    /// The word in English, then in the order of the languages.
    let words: [String]
    let categories: Set<IngredientCategory>
    private let effect: [Double]

    /// The fields of a line, separated by semicolons: the word in English; letters of the categories; the factor for the contents, and how
    /// much fat, sugar and salt is added; and the word in the other languages.
    private init?(line: Substring) {
        let fields = SampleText.fields(line)
        let effect = fields.count == 9 ? fields[2].split(separator: " ").compactMap { Double($0) } : []
        guard effect.count == 4 else { return nil }
        self.effect = effect
        words = [fields[0]] + fields[3...]
        categories = Set(fields[1].compactMap { Self.letters[$0] })
    }

    /// Whether it follows the name instead of preceding it.
    var follows: Bool { words[0].hasPrefix("with ") }

    func contents(of food: SampleContents) -> SampleContents {
        food.scaled(by: effect[0], fat: effect[1], sugar: effect[2], salt: effect[3])
    }

    private static let letters: [Character: IngredientCategory] = [
        "f": .fruit, "v": .vegetable, "g": .grain, "l": .legume, "n": .nut, "d": .dairy, "e": .egg, "m": .meat, "s": .fish, "o": .fat,
        "w": .sweet,
        "i": .spice, "k": .drink, "h": .dish,
    ]

    static let all = lines.split(separator: "\n").compactMap { SampleModifier(line: $0) }

    private static let lines = """
        fresh; fvdsieh; 1 0 0 0; frisch; frais; fresco; tươi; 新鮮; 新鲜
        raw; vfmsnl; 1 0 0 0; roh; cru; crudo; sống; 生; 生的
        organic; fvglndemsowikh; 1 0 0 0; bio; biologique; ecológico; hữu cơ; オーガニック; 有机
        frozen; fvsmhwg; 1 0 0 0; tiefgekühlt; surgelé; congelado; đông lạnh; 冷凍; 冷冻
        canned; fvlshm; 0.9 0 1 0.5; aus der Dose; en conserve; en lata; đóng hộp; 缶詰; 罐头
        dried; fvmsi; 4 0 0 0; getrocknet; séché; desecado; sấy khô; 乾燥; 晒干
        cooked; vlgmse; 0.95 0 0 0.1; gekocht; cuit; cocido; nấu chín; 加熱済み; 煮熟
        boiled; vlesm; 0.9 0 0 0.2; gesotten; bouilli; hervido; luộc; 茹で; 水煮
        steamed; vsgm; 0.95 0 0 0; gedämpft; à la vapeur; al vapor; hấp; 蒸し; 清蒸
        roasted; vnmlf; 1.2 2 0 0.3; geröstet; rôti; asado; rang; ロースト; 烘烤
        grilled; vmsd; 1.15 1 0 0.3; gegrillt; grillé; a la parrilla; nướng; グリル; 烧烤
        fried; vmsedlg; 1.05 8 0 0.3; gebraten; frit; frito; chiên; 揚げ; 油炸
        baked; fvsgdh; 1.1 1 0 0.2; gebacken; au four; al horno; bỏ lò; オーブン焼き; 烤箱
        braised; vmls; 0.95 3 0 0.5; geschmort; braisé; estofado; kho; 煮込み; 红烧
        smoked; msdn; 1.05 0 0 2; geräuchert; fumé; ahumado; xông khói; 燻製; 熏制
        pickled; vsefi; 0.9 0 1 1.5; eingelegt; mariné; en vinagre; muối chua; 酢漬け; 腌制
        marinated; msvlh; 1 3 1 0.8; mariniert; en marinade; adobado; ướp; マリネ; 酱腌
        breaded; mvsd; 0.9 7 6 0.6; paniert; pané; empanado; tẩm bột; パン粉; 裹粉
        stuffed; vmsh; 1 3 1 0.4; gefüllt; farci; relleno; nhồi; 詰め物; 酿
        minced; msv; 1 0 0 0; gehackt; haché; picado; băm; みじん切り; 切碎
        sliced; fvmdgh; 1 0 0 0; in Scheiben; en tranches; en lonchas; thái lát; スライス; 切片
        diced; fvmd; 1 0 0 0; gewürfelt; en dés; en cubos; hạt lựu; 角切り; 切丁
        grated; vdfin; 1 0 0 0; gerieben; râpé; rallado; bào sợi; すりおろし; 磨碎
        puréed; fvl; 0.95 0 0 0; püriert; en purée; triturado; xay nhuyễn; ピューレ; 打成泥
        candied; fni; 1 0 40 0; kandiert; confit; confitado; mứt đường; 砂糖漬け; 蜜饯
        salted; nodsv; 1 0 0 1.2; gesalzen; salé; salado; muối mặn; 塩味; 加盐
        unsalted; nodgv; 1 0 0 0; ungesalzen; non salé; sin sal; không muối; 無塩; 无盐
        sweetened; dkfgn; 1 0 8 0; gesüßt; sucré; endulzado; có đường; 加糖; 加甜
        unsweetened; dkfn; 0.95 0 0 0; ungesüßt; sans sucre ajouté; sin endulzar; không đường; 無糖; 无糖
        low fat; dmohw; 0.85 0 0 0; fettarm; allégé; bajo en grasa; ít béo; 低脂肪; 低脂
        high protein; dgwkh; 1.1 0 0 0; eiweißreich; riche en protéines; rico en proteínas; giàu đạm; 高たんぱく; 高蛋白
        lactose-free; dw; 1 0 0 0; laktosefrei; sans lactose; sin lactosa; không lactose; 乳糖不使用; 无乳糖
        gluten-free; gwh; 1 0 0 0; glutenfrei; sans gluten; sin gluten; không gluten; グルテンフリー; 无麸质
        vegan; hwdmsg; 0.95 0 0 0; vegan; végétalien; vegano; thuần chay; ヴィーガン; 纯素
        vegetarian; hm; 0.95 0 0 0; vegetarisch; végétarien; vegetariano; chay; ベジタリアン; 素食
        wholegrain; gwh; 1 0 0 0; aus Vollkorn; aux céréales complètes; de grano entero; nguyên hạt; 全粒; 全谷物
        homemade; hwgk; 1 0 0 0; hausgemacht; fait maison; casero; nhà làm; 自家製; 自制
        spicy; hmlvsi; 1 0 0 0.2; scharf; épicé; picante; cay; 辛口; 香辣
        mild; hdimk; 1 0 0 0; mild; doux; suave; dịu; まろやか; 温和
        creamy; hdlv; 0.95 5 0 0; cremig; crémeux; cremoso; béo mịn; クリーミー; 奶香
        crispy; hmgsvw; 1.05 4 0 0.3; knusprig; croustillant; crujiente; giòn; カリカリ; 香脆
        instant; ghk; 1 0 0 0.5; löslich; instantané; instantáneo; ăn liền; インスタント; 速食
        Italian; hmgdv; 1 1 0 0; italienische Art; à l'italienne; a la italiana; kiểu Ý; イタリア風; 意式
        Greek; hmvd; 1 2 0 0; griechische Art; à la grecque; a la griega; kiểu Hy Lạp; ギリシャ風; 希腊式
        Turkish; hmvgd; 1 1 0 0; türkische Art; à la turque; a la turca; kiểu Thổ; トルコ風; 土耳其式
        Indian; hmlvg; 1 2 0 0.2; indische Art; à l'indienne; a la india; kiểu Ấn; インド風; 印式
        Thai; hmsvg; 1 1 1 0.3; thailändische Art; à la thaïlandaise; a la tailandesa; kiểu Thái; タイ風; 泰式
        Vietnamese; hmsvgk; 1 0 1 0.3; vietnamesische Art; à la vietnamienne; a la vietnamita; kiểu Việt; ベトナム風; 越式
        Japanese; hmsvge; 1 0 1 0.4; japanische Art; à la japonaise; a la japonesa; kiểu Nhật; 和風; 日式
        Sichuan; hmsvl; 1 3 0 0.5; Sichuan Art; à la sichuanaise; al estilo Sichuan; kiểu Tứ Xuyên; 四川風; 川味
        Mexican; hmlvg; 1 2 0 0.2; mexikanische Art; à la mexicaine; a la mexicana; kiểu Mễ; メキシコ風; 墨西哥式
        Moroccan; hmlvs; 1 1 1 0; marokkanische Art; à la marocaine; a la marroquí; kiểu Ma Rốc; モロッコ風; 摩洛哥式
        with strawberry; dwkg; 0.9 0 8 0; mit Erdbeere; à la fraise; con fresa; vị dâu; いちご味; 草莓味
        with vanilla; dwkg; 0.9 0 8 0; mit Vanille; à la vanille; con vainilla; vị vani; バニラ味; 香草味
        with chocolate; dwkgn; 0.9 3 10 0; mit Schokolade; au chocolat; con chocolate; vị sô cô la; チョコ味; 巧克力味
        with lemon; dwkshi; 0.95 0 3 0; mit Zitrone; au citron; con limón; vị chanh; レモン味; 柠檬味
        with mango; dwk; 0.9 0 8 0; mit Mango; à la mangue; con mango; vị xoài; マンゴー味; 芒果味
        with raspberry; dwk; 0.9 0 7 0; mit Himbeere; à la framboise; con frambuesa; vị mâm xôi; ラズベリー味; 树莓味
        with coconut; dwkh; 0.9 4 4 0; mit Kokos; à la noix de coco; con coco; vị dừa; ココナッツ味; 椰味
        with honey; dwkgnm; 0.9 0 9 0; mit Honig; au miel; con miel; vị mật ong; はちみつ味; 蜂蜜味
        with hazelnut; dwkg; 0.9 5 3 0; mit Haselnuss; à la noisette; con avellana; vị hạt phỉ; ヘーゼル味; 榛果味
        with caramel; dwk; 0.9 1 10 0; mit Karamell; au caramel; con caramelo; vị caramen; キャラメル味; 焦糖味
        with cinnamon; dwkfg; 0.97 0 1 0; mit Zimt; à la cannelle; con canela; vị quế; シナモン味; 肉桂味
        with ginger; wkhsm; 0.97 0 1 0; mit Ingwer; au gingembre; con jengibre; vị gừng; しょうが味; 姜味
        with garlic; mvslghdoi; 1 1 0 0.2; mit Knoblauch; à l'ail; con ajo; vị tỏi; にんにく味; 蒜香
        with herbs; mvsdghoei; 1 0 0 0.2; mit Kräutern; aux herbes; con hierbas; vị thảo mộc; ハーブ味; 香草料
        with paprika; mvdlhni; 1 0 0 0.3; mit Paprika; au paprika; con pimentón; vị ớt bột; パプリカ味; 红椒味
        with pepper; msdhi; 1 0 0 0.3; mit Pfeffer; au poivre; con pimienta; vị tiêu; こしょう味; 胡椒味
        with curry; mvslhge; 1 2 0 0.4; mit Curry; au curry; con curri; vị cà ri; カレー味; 咖喱味
        with tomato; mslghev; 0.9 1 1 0.3; mit Tomate; à la tomate; con tomate; sốt cà; トマト味; 番茄味
        with cheese; mvghel; 0.95 6 0 0.5; mit Käse; au fromage; con queso; kèm phô mai; チーズ味; 芝士味
        with mushrooms; mghev; 0.92 1 0 0.3; mit Pilzen; aux champignons; con setas; kèm nấm; きのこ入り; 菌菇
        with bacon; vghel; 0.9 8 0 0.8; mit Speck; aux lardons; con beicon; kèm ba rọi; ベーコン入り; 培根味
        with spinach; ghesd; 0.92 1 0 0.2; mit Spinat; aux épinards; con espinacas; kèm rau bina; ほうれん草入り; 菠菜味
        with onions; mvghels; 0.95 1 1 0.2; mit Zwiebeln; aux oignons; con cebolla; kèm hành; 玉ねぎ入り; 葱香
        with sesame; mvsghlw; 1 3 0 0.1; mit Sesam; au sésame; con sésamo; kèm mè; ごま風味; 芝麻味
        with chili; mvslhkwgni; 1 0 0 0.2; mit Chili; au piment; con guindilla; kèm ớt; 唐辛子味; 辣味
        with nuts; dwgh; 0.95 6 2 0; mit Nüssen; aux noix; con nueces; kèm hạt; ナッツ入り; 坚果味
        with raisins; dwgh; 0.95 0 8 0; mit Rosinen; aux raisins; con pasas; kèm nho khô; レーズン入り; 葡萄干味
        with olives; gmdhs; 0.95 4 0 0.6; mit Oliven; aux olives; con aceitunas; kèm ô liu; オリーブ入り; 橄榄味
        """
}
