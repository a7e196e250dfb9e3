#if Postgres
/// Divides the text of a migration into statements, to find one that would begin or end a transaction.
struct MigrationScript {
    private let bytes: [UInt8]
    private var index = 0
    /// The first words of the current statement.
    private var words: [String] = []
    private var lastWord = ""
    /// How deep the text is in the body of a function (BEGIN ATOMIC … END), which contains semicolons.
    private var depth = 0

    private init(_ text: String) { bytes = Array(text.utf8) }

    /// The beginning of the first statement that would begin or end a transaction, such as `COMMIT`; `nil` if there is none.
    static func transactionStatement(in text: String) -> String? {
        var script = MigrationScript(text)
        return script.transactionStatement()
    }

    private mutating func transactionStatement() -> String? {
        while let byte = byte(0) {
            switch byte {
            case UInt8(ascii: ";") where depth == 0:
                if isAboutTransaction { return words.joined(separator: " ") }
                words = []
                index += 1
            case UInt8(ascii: "'"), UInt8(ascii: "\""): skipQuoted(byte, hasEscapes: false)
            case UInt8(ascii: "-") where self.byte(1) == byte:
                while let next = self.byte(0), next != 10, next != 13 { index += 1 }
            case UInt8(ascii: "/") where self.byte(1) == UInt8(ascii: "*"): skipComment()
            case UInt8(ascii: "$"): skipDollarQuoted()
            case _ where Self.isWord(byte): takeWord()
            default: index += 1
            }
        }
        return isAboutTransaction ? words.joined(separator: " ") : nil
    }

    private func byte(_ offset: Int) -> UInt8? { index + offset < bytes.count ? bytes[index + offset] : nil }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    private var isAboutTransaction: Bool {
        switch words.first {
        case "BEGIN", "START", "COMMIT", "END", "ABORT": true
        // ROLLBACK TO a savepoint stays within the transaction.
        case "ROLLBACK": !words.contains("TO")
        case "PREPARE": words.count > 1 && words[1] == "TRANSACTION"
        default: false
        }
    }

    private mutating func takeWord() {
        let start = index
        while let byte = byte(0), Self.isWord(byte) || byte == UInt8(ascii: "$") { index += 1 }
        let word = String(decoding: bytes[start..<index], as: UTF8.self).uppercased()
        if word == "E", byte(0) == UInt8(ascii: "'") { return skipQuoted(UInt8(ascii: "'"), hasEscapes: true) }
        if words.count < 3 { words.append(word) }
        if words.first == "CREATE" {
            switch word {
            case "ATOMIC" where lastWord == "BEGIN": depth = 1
            case "CASE" where depth > 0: depth += 1
            case "END" where depth > 0: depth -= 1
            default: break
            }
        }
        lastWord = word
    }

    /// Skips a text or a name. A quotation mark within it is doubled, which looks like the beginning of another one.
    private mutating func skipQuoted(_ mark: UInt8, hasEscapes: Bool) {
        index += 1
        while let next = byte(0), next != mark { index += hasEscapes && next == UInt8(ascii: "\\") ? 2 : 1 }
        index += 1
    }

    private mutating func skipComment() {
        var depth = 0
        while let next = byte(0) {
            if next == UInt8(ascii: "/"), byte(1) == UInt8(ascii: "*") {
                depth += 1
                index += 2
            } else if next == UInt8(ascii: "*"), byte(1) == UInt8(ascii: "/") {
                depth -= 1
                index += 2
                if depth == 0 { return }
            } else {
                index += 1
            }
        }
    }

    /// Skips a text such as `$body$ … $body$`.
    private mutating func skipDollarQuoted() {
        let start = index
        index += 1
        while let next = byte(0), Self.isWord(next) { index += 1 }
        guard byte(0) == UInt8(ascii: "$") else { return }
        index += 1
        let tag = bytes[start..<index]
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "$"), bytes[index...].starts(with: tag) {
                index += tag.count
                return
            }
            index += 1
        }
    }
}
#endif
