/// The identifiers and symbols of a Swift source in order, without its comments and the text of its strings.
///
/// Code interpolated into a string is included. Regular expression literals that contain a quote are not understood.
struct SwiftTokens {
    private(set) var tokens: [String] = []
    private let characters: [Character]
    private var position = 0

    init(_ source: String) {
        characters = Array(source)
        readCode(until: nil)
    }

    /// Reads to the end of the source, or past the parenthesis that closes an interpolation.
    private mutating func readCode(until end: Character?) {
        var open = 0
        while let character = peek() {
            if character == end, open == 0 {
                position += 1
                return
            }
            switch character {
            case "(": open += 1
            case ")": open -= 1
            default: break
            }
            if starts(with: "//") {
                skipLine()
            } else if starts(with: "/*") {
                skipBlockComment()
            } else if character == "\"" || character == "#", let hashes = stringOpening() {
                readString(hashes: hashes)
            } else if character.isLetter || character == "_" {
                readIdentifier()
            } else if character == "`" {
                readEscapedIdentifier()
            } else {
                if !character.isWhitespace && !character.isNumber { tokens.append(String(character)) }
                position += 1
            }
        }
    }

    private func peek(_ offset: Int = 0) -> Character? {
        position + offset < characters.count ? characters[position + offset] : nil
    }

    private func starts(with text: String) -> Bool {
        text.enumerated().allSatisfy { peek($0.offset) == $0.element }
    }

    private mutating func skipLine() {
        while let character = peek(), !character.isNewline { position += 1 }
    }

    /// Block comments nest in Swift.
    private mutating func skipBlockComment() {
        var depth = 0
        repeat {
            if starts(with: "/*") {
                depth += 1
                position += 2
            } else if starts(with: "*/") {
                depth -= 1
                position += 2
            } else {
                position += 1
            }
        } while depth > 0 && position < characters.count
    }

    private mutating func readIdentifier() {
        let start = position
        while let character = peek(), character.isLetter || character.isNumber || character == "_" { position += 1 }
        tokens.append(String(characters[start..<position]))
    }

    private mutating func readEscapedIdentifier() {
        let start = position + 1
        repeat { position += 1 } while peek().map { $0 != "`" } ?? false
        tokens.append(String(characters[min(start, position)..<position]))
        position += 1
    }

    /// The number of `#` before an opening quote, `nil` if none opens here.
    private func stringOpening() -> Int? {
        var hashes = 0
        while peek(hashes) == "#" { hashes += 1 }
        return peek(hashes) == "\"" ? hashes : nil
    }

    private mutating func readString(hashes: Int) {
        position += hashes
        let quotes = starts(with: "\"\"\"") ? "\"\"\"" : "\""
        let marks = String(repeating: "#", count: hashes)
        position += quotes.count
        while position < characters.count {
            if starts(with: quotes + marks) {
                position += quotes.count + hashes
                return
            }
            if starts(with: "\\" + marks) {
                position += 1 + hashes
                let interpolates = peek() == "("
                position += 1
                if interpolates { readCode(until: ")") }
            } else {
                position += 1
            }
        }
    }
}
