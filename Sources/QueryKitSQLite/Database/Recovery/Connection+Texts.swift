import CSQLite

/// Texts that are not valid UTF-8. SQLite stores them unchanged, and Swift shows them with replacement characters.
extension Connection {
    /// Returns the columns with such texts, one sentence each.
    func textProblems(_ tables: [String]) throws -> [String] {
        try tables.flatMap { table in
            let names = try rows("SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 1", [.text(table)]) { try $0[0] as String }
            let counts = try invalidTexts(of: names, in: table)
            return zip(names, counts).filter { $0.1 > 0 }.map { name, count in
                "\(count) \(count == 1 ? "text" : "texts") of \(table).\(name) are not UTF-8"
            }
        }
    }

    private func invalidTexts(of columns: [String], in table: String) throws -> [Int] {
        if columns.isEmpty { return [] }
        let list = columns.map { quoted($0) }.joined(separator: ", ")
        let statement = try prepare("SELECT \(list) FROM main.\(quoted(table)) NOT INDEXED", for: .engine)
        var counts = Array(repeating: 0, count: columns.count)
        while try statement.step() {
            for index in columns.indices where !isText(sqlite3_column_value(statement.handle, Int32(truncatingIfNeeded: index))) {
                counts[index] += 1
            }
        }
        return counts
    }

    /// Returns false for a text that is not valid UTF-8.
    private func isText(_ value: OpaquePointer?) -> Bool { value.map { mendedText($0) == nil } ?? true }
}

/// Returns a text with a replacement character for each invalid part; `nil` if the value is not a text or is valid UTF-8.
func mendedText(_ value: OpaquePointer) -> String? {
    guard sqlite3_value_type(value) == SQLITE_TEXT, let start = sqlite3_value_text(value) else { return nil }
    let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    if bytes.allSatisfy({ $0 < 0x80 }) { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.utf8.elementsEqual(bytes) ? nil : text
}
