import Foundation

/// A text that goes to a language model or comes from one: without what nobody sees, and not too long.
struct ModelText {
    let text: String

    init(_ text: String, maxLength: Int) {
        var cut = ""
        var length = 0
        // Whole characters, of which one can have any number of accents.
        for character in FoodBounds.tidied(Self.head(of: text, maxLength)) {
            let visible = character.unicodeScalars.filter { !$0.isVariationSelector }
            length += visible.count
            if length > maxLength { break }
            cut.unicodeScalars.append(contentsOf: visible)
        }
        self.text = cut
    }

    /// What comes from outside may be long, and is not read to its end.
    private static func head(of text: String, _ maxLength: Int) -> String {
        var head = String.UnicodeScalarView()
        head.append(contentsOf: text.unicodeScalars.prefix(maxLength * 4))
        return String(head)
    }

    /// The text as a string of JSON, in which no sign is left that ends a block of code, a tag or a line.
    var json: String {
        var json = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": json += "\\\""
            case "\\": json += "\\\\"
            case "`", "<", ">", "&": json += "\\u00" + String(scalar.value, radix: 16)
            default: json.unicodeScalars.append(scalar)
            }
        }
        return json + "\""
    }
}
