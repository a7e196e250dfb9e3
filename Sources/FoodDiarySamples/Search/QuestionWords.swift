/// Words from which questions are built, in addition to the names of foods.
enum QuestionWords {
    private static func list(_ text: String) -> [String] { text.split(whereSeparator: \.isWhitespace).map { String($0) } }

    /// Words that users add although the name may lack them. Some are part of the names of other foods.
    static let extra: [String: [String]] = [
        "en": list("fresh ground homemade tasty leftover big organic sliced warm cold roasted extra plain frozen delicious light whole"),
        "de": list("frische gemahlene hausgemachte leckere warme kalte große geröstete gefrorene reife magere helle bio"),
        "fr": list("frais moulu maison délicieux chaud froid grillé surgelé mûr léger bio"),
        "es": list("fresco molido casero rico caliente frío asado congelado maduro ligero natural"),
        "vi": list("tươi ngon nóng lạnh nướng sạch nhỏ"),
    ]

    static let and = ["en": "and", "de": "und", "fr": "et", "es": "y", "vi": "và"]

    /// Typed words, and the words that are meant.
    static let slips: [(typed: String, word: String)] = list(
        """
        curie:curry py:pie bred:bread leak:leek flower:flour stake:steak beat:beet pair:pear chilly:chili serial:cereal muscle:mussel
        time:thyme current:currant plumb:plum been:beans rise:rice tee:tea barely:barley source:sauce soap:soup bear:beer whine:wine
        carat:carrot mustered:mustard role:roll stu:stew place:plaice code:cod crap:crab heel:eel row:roe deal:dill siege:sage
        crape:grape alive:olive shop:chop lyme:lime porch:pork silk:milk better:butter peace:peas lam:lamb choose:cheese brad:bread
        pea:peas quick:quiche
        """
    ).map { pair in
        let parts = pair.split(separator: ":")
        return (String(parts[0]), String(parts[1]))
    }

    /// Common words for things that are not food.
    static let otherThings = [
        "umbrella", "keyboard", "parking ticket", "telephone number", "wednesday", "bicycle", "insurance", "holiday photos", "dictionary",
        "blue jeans", "motorway", "newspaper", "xylophone", "hospital", "Regenschirm",
    ]

    // MARK: Singular and plural

    static func otherNumber(english word: String) -> String? {
        if word.hasSuffix("ss") || word.hasSuffix("us") { return nil }
        if word.hasSuffix("ies") { return word.dropLast(3) + "y" }
        if word.hasSuffix("oes") || word.hasSuffix("shes") || word.hasSuffix("ches") { return String(word.dropLast(2)) }
        if word.hasSuffix("s") { return String(word.dropLast()) }
        if word.hasSuffix("y"), let before = word.dropLast().last, !"aeiou".contains(before) { return word.dropLast() + "ies" }
        if word.hasSuffix("eaf") || word.hasSuffix("oaf") { return word.dropLast() + "ves" }
        if ["o", "x", "z", "ch", "sh"].contains(where: word.hasSuffix) { return word + "es" }
        return word + "s"
    }

    static func plural(german word: String) -> String? {
        if ["en", "el", "er", "chen", "s", "ö", "öl"].contains(where: word.hasSuffix) { return nil }
        if word.hasSuffix("e") { return word + "n" }
        if word == "ei" || word.hasSuffix("ei") { return word + "er" }
        if ["a", "i", "o", "u", "y"].contains(where: word.hasSuffix) { return word + "s" }
        return word + "e"
    }

    static func plural(french word: String) -> String? {
        if ["s", "x", "z"].contains(where: word.hasSuffix) { return nil }
        return word + (word.hasSuffix("eau") || word.hasSuffix("eu") ? "x" : "s")
    }

    static func plural(spanish word: String) -> String? {
        if word.hasSuffix("s") { return nil }
        if word.hasSuffix("z") { return word.dropLast() + "ces" }
        if word.hasSuffix("ón") { return word.dropLast(2) + "ones" }
        return word + (["a", "e", "i", "o", "u", "é", "á"].contains(where: word.hasSuffix) ? "s" : "es")
    }
}
