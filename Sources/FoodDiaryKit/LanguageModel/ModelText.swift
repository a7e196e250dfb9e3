import Foundation

/// A text sent to or received from a language model: without invisible characters, and limited in length.
struct ModelText {
    let text: String

    init(_ text: String, maxLength: Int) {
        var cut = ""
        var length = 0
        // Cuts only between whole characters. A character may have any number of accents.
        for character in FoodBounds.tidied(Self.head(of: text, maxLength)) {
            let visible = character.unicodeScalars.filter { !$0.isVariationSelector }
            length += visible.count
            if length > maxLength { break }
            cut.unicodeScalars.append(contentsOf: visible)
        }
        self.text = cut
    }

    /// Text from outside may be long, so only its beginning is read.
    private static func head(of text: String, _ maxLength: Int) -> String {
        var head = String.UnicodeScalarView()
        head.append(contentsOf: text.unicodeScalars.prefix(maxLength * 4))
        return String(head)
    }

    /// The text as a JSON string in which every character that could end a code block, a tag or a line is escaped.
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
