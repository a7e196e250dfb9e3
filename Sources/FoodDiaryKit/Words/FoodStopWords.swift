/// Words in sentences about food that are not food: articles, numbers, measures, and words that join two foods.
///
/// The list contains words in English, German, French, Spanish and Vietnamese, without accents, and letters of Japanese and Chinese. A word
/// that is food in one of these languages, such as the Spanish pan or the Vietnamese tỏi, is not in the list.
enum FoodStopWords {
    static func contains(_ word: String) -> Bool { words.contains(word) }

    /// Whether a letter of a script without spaces is such a word, for example a number.
    static func contains(letter: Unicode.Scalar) -> Bool { letters.contains(letter) }

    private static let words = Set([articles, joints, numbers, measures, meals].flatMap(list))

    /// The words of a text, one by one.
    static func list(_ text: String) -> [String] { text.split(whereSeparator: \.isWhitespace).map { String($0) } }

    static let articles = """
        a an the some any my our this that these those of no
        der die das den dem des ein eine einen einem einer eines etwas kein keine mein meine vom von
        le la les un une des du de au aux mon ma mes ce cette quelques
        el los las unos unas del al mi mis este esta algo
        """

    static let joints = """
        and or with without plus on in into for to from at as it is was were also then followed by topped served
        und oder mit ohne auf im dazu dann auch sowie zu zum zur aus als
        et ou avec sans sur dans puis aussi pour en
        y o e con sin sobre para por tambien luego
        va voi cung hoac
        """

    static let numbers = """
        one two three four five six seven eight nine ten twelve half quarter third dozen couple few several double
        eins zwei drei vier funf sechs sieben acht neun zehn zwolf halb halbe halber halbes viertel dutzend paar einige
        deux trois quatre cinq sept huit neuf dix douze demi demie quart douzaine
        uno una dos tres cuatro cinco seis siete ocho nueve diez doce medio media cuarto docena
        mot hai bon muoi nua
        """

    static let measures = """
        g gr gram grams gramm gramme grammes gramo gramos kg kilo kilos kilogram mg ml cl dl l liter liters litre litres litro litros milliliter
        oz ounce ounces lb lbs pound pounds pint pints quart
        cup cups tbsp tbs tablespoon tablespoons tsp teaspoon teaspoons slice slices piece pieces glass glasses bowl bowls plate plates bottle bottles
        can cans tin tins pack packs packet packets handful handfuls portion portions serving servings spoon spoons spoonful bit pinch mug mugs
        small medium large big little
        scheibe scheiben stuck stucke glaser tasse tassen el tl essloffel teeloffel becher dose dosen packung portionen schale schalen teller
        flasche flaschen handvoll prise loffel klein kleine kleiner kleines gross grosse grosser grosses
        tranche tranches verre verres tasses cuillere cuilleres morceau morceaux bol bols assiette bouteille poignee petit petite grand grande
        rebanada rebanadas vaso vasos taza tazas cucharada cucharadas cucharadita trozo trozos plato platos botella lata porcion porciones
        """

    static let meals = """
        i we he she they had have has having ate eat eaten eating drank drink drunk breakfast lunch dinner supper snack today yesterday morning evening
        ich wir er sie hatte habe hatten gegessen getrunken gab es zum fruhstuck mittag mittagessen abendessen abend morgen heute gestern
        je nous il elle ai mange bu dejeuner diner petit matin soir midi aujourd hui hier
        yo comi bebi he comido desayuno almuerzo cena hoy ayer manana
        """

    /// Whether a letter joins two foods in scripts without spaces.
    static func joins(letter: Unicode.Scalar) -> Bool { joiningLetters.contains(letter) }

    private static let joiningLetters = Set("和与與及跟とや와과".unicodeScalars)

    private static let letters = Set(
        "和与與及加跟了的在吃喝我个個只片杯碗块塊勺份根条條一二两兩三四五六七八九十半とのをはがにでもや을를과와이가은는".unicodeScalars
    )
}
