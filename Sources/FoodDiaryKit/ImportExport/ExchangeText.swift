import Foundation

/// The text of an export while it is being written: rows of CSV, or JSON objects.
struct ExchangeText {
    private let format: FoodDiaryFile.Format
    private let isForSpreadsheets: Bool
    private var bytes: [UInt8] = []
    private(set) var rowCount = 0

    private static let size = 1 << 18

    init(_ format: FoodDiaryFile.Format, columns: [ExchangeColumn], forSpreadsheets isForSpreadsheets: Bool = false) {
        self.format = format
        self.isForSpreadsheets = isForSpreadsheets
        bytes.reserveCapacity(Self.size + 1024)
        switch format {
        case .csv: bytes += Array(columns.map(\.name).joined(separator: ",").utf8) + [Byte.carriageReturn, Byte.lineFeed]
        case .json: bytes.append(Byte.openBracket)
        case .jsonLines: break
        }
    }

    /// Returns the text collected so far if there is enough of it to write, and otherwise `nil`.
    mutating func part() -> Data? {
        guard bytes.count >= Self.size else { return nil }
        defer { bytes.removeAll(keepingCapacity: true) }
        return Data(bytes)
    }

    /// Returns the remaining text.
    mutating func end() -> Data {
        if format == .json { append(rowCount == 0 ? "]\n" : "\n]\n") }
        defer { bytes = [] }
        return Data(bytes)
    }

    mutating func append(_ entry: FoodEntry, ingredient: String?, _ zones: KnownTimeZones) {
        let date = WallClockText(entry.moment) { zones.offset(at: $0) }
        switch format {
        case .csv:
            date.write(to: &bytes)
            field(entry.moment.timeZone)
            field(entry.name)
            field(ingredient ?? "")
            number(Nutrients.rounded(entry.grams))
            for amount in entry.nutrients.inOrder { number(amount) }
            number(Nutrients.rounded(entry.confidence))
        case .json, .jsonLines:
            append(separator + "{\"date\":\"")
            date.write(to: &bytes)
            append("\"")
            value("time_zone", entry.moment.timeZone)
            value("name", entry.name)
            if let ingredient { value("ingredient", ingredient) }
            value("grams", Nutrients.rounded(entry.grams))
            object(entry.nutrients)
            value("confidence", Nutrients.rounded(entry.confidence))
            append("}")
        }
        endRow()
    }

    mutating func append(_ ingredient: Ingredient.Draft) {
        switch format {
        case .csv:
            quoted(ingredient.name)
            field(ingredient.aliasesText)
            field(ingredient.category.rawValue)
            for amount in ingredient.nutrients.inOrder { number(amount) }
            field(ingredient.portionsText)
        case .json, .jsonLines:
            append(separator + "{\"name\":")
            text(ingredient.name)
            append(",\"aliases\":[")
            for (index, alias) in ingredient.aliases.enumerated() {
                if index > 0 { bytes.append(Byte.comma) }
                text(alias)
            }
            append("]")
            value("category", ingredient.category.rawValue)
            object(ingredient.nutrients)
            append(",\"portions\":[")
            for (index, portion) in ingredient.portions.enumerated() {
                append(index > 0 ? ",{\"name\":" : "{\"name\":")
                text(portion.name)
                value("grams", Nutrients.rounded(portion.grams))
                append("}")
            }
            append("]}")
        }
        endRow()
    }

    private mutating func append(_ text: String) { bytes += text.utf8 }

    private mutating func endRow() {
        rowCount += 1
        switch format {
        case .csv: bytes += [Byte.carriageReturn, Byte.lineFeed]
        case .json: break
        case .jsonLines: bytes.append(Byte.lineFeed)
        }
    }

    // MARK: CSV

    /// Appends a field that is not the first of its row.
    private mutating func field(_ text: String) {
        bytes.append(Byte.comma)
        quoted(text)
    }

    private mutating func number(_ thousandths: Int64) {
        bytes.append(Byte.comma)
        append(DecimalText.text(thousandths))
    }

    private mutating func quoted(_ text: String) {
        let text = isForSpreadsheets && Self.isFormula(text) ? "'" + text : text
        let needsQuotes = text.utf8.contains { byte in
            byte == Byte.comma || byte == Byte.quote || byte == Byte.carriageReturn || byte == Byte.lineFeed
        }
        guard needsQuotes else { return append(text) }
        bytes.append(Byte.quote)
        for byte in text.utf8 {
            if byte == Byte.quote { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(Byte.quote)
    }

    /// Whether a spreadsheet may evaluate a text instead of showing it. Includes full-width signs, because some spreadsheets treat them
    /// like ASCII ones.
    private static func isFormula(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first else { return false }
        return "=+-@\t\r\n＝＋－＠".unicodeScalars.contains(first)
    }

    // MARK: JSON

    private var separator: String {
        switch format {
        case .json: rowCount == 0 ? "\n" : ",\n"
        case .csv, .jsonLines: ""
        }
    }

    private mutating func name(_ name: String) {
        append(",\"")
        append(name)
        append("\":")
    }

    private mutating func value(_ name: String, _ value: String) {
        self.name(name)
        text(value)
    }

    private mutating func value(_ name: String, _ thousandths: Int64) {
        self.name(name)
        append(DecimalText.text(thousandths))
    }

    private mutating func object(_ nutrients: Nutrients) {
        append(",\"nutrients\":{")
        for (index, (column, amount)) in zip(ExchangeColumn.nutrients, nutrients.inOrder).enumerated() {
            append(index == 0 ? "\"" : ",\"")
            append(column.name)
            append("\":")
            append(DecimalText.text(amount))
        }
        append("}")
    }

    private mutating func text(_ text: String) {
        bytes.append(Byte.quote)
        for byte in text.utf8 {
            switch byte {
            case Byte.quote, Byte.backslash: bytes += [Byte.backslash, byte]
            case 0..<0x20: append("\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16))
            default: bytes.append(byte)
            }
        }
        bytes.append(Byte.quote)
    }
}

extension Nutrients {
    /// Thousandths, in the order of ``amounts``.
    fileprivate var inOrder: [Int64] {
        let amounts = thousandths
        return [
            amounts.kilocalories, amounts.protein, amounts.carbohydrates, amounts.fat, amounts.fiber, amounts.sugar, amounts.salt,
        ]
    }
}
