import Foundation

/// Reads a file of any format, row by row.
struct DraftReader<Draft: ExchangedDraft> {
    /// A row: a draft to import, or a problem.
    struct Row {
        let line: Int
        let draft: Result<Draft, FoodDiaryImport.Problem>
    }

    private var table: CSVReader?
    private var fields = CSVReader.Row()
    /// The position of each known column, and the number of columns.
    private var places: [Int?] = []
    private var width = 0

    private var elements: JSONElements?
    private let decoder = JSONDecoder()
    /// Only the first objects are searched for unknown names, because all objects usually have the same names.
    private var objectsWithNames = 100

    private let zones = KnownTimeZones()
    /// The names of columns or values in the file that a diary doesn't store.
    private(set) var ignored: [String] = []
    /// The number of rows read, including those with problems.
    private(set) var rowCount = 0

    init(_ file: FoodDiaryFile, chunk: Int = 1 << 16) throws {
        let bytes = try ByteSource(path: file.path, chunk: chunk)
        switch file.format {
        case .csv:
            table = try CSVReader(bytes)
            try readHeader()
        case .json, .jsonLines: elements = try JSONElements(bytes)
        }
    }

    /// The number of bytes of the file that were read.
    var consumed: Int64 { table?.consumed ?? elements?.consumed ?? 0 }

    /// The next row; `nil` after the last one. Throws an ``UnreadableFile`` if the rest of the file can't be read.
    mutating func next() throws -> Row? {
        if try table?.next(&fields) == true {
            rowCount += 1
            return Row(line: fields.line, draft: rowOfTable())
        }
        if let (line, object) = try elements?.next() {
            rowCount += 1
            return Row(line: line, draft: element(object, line))
        }
        return nil
    }

    // MARK: CSV

    private mutating func readHeader() throws {
        guard try table?.next(&fields) == true else {
            throw UnreadableFile(line: 1, "The file is empty; its first line must name the columns.")
        }
        width = fields.count
        places = Array(repeating: nil, count: Draft.columns.count)
        for place in 0..<width {
            guard let header = fields[place].map({ FoodBounds.tidied($0).lowercased() }) else {
                throw UnreadableFile(line: fields.line, "The text is not in UTF-8.")
            }
            guard let column = Draft.columns.firstIndex(where: { $0.matches(header) }) else {
                if !header.isEmpty { ignored.append(header) }
                continue
            }
            guard places[column] == nil else { throw UnreadableFile(line: fields.line, "Two columns are called \(header).") }
            places[column] = place
        }
        let missing = zip(Draft.columns, places).filter { $0.isRequired && $1 == nil }.map(\.0.name)
        guard missing.isEmpty else {
            let what = missing.count == 1 ? "There is no column" : "There are no columns"
            let hint = width == 1 ? " Commas separate columns." : ""
            throw UnreadableFile(line: fields.line, "\(what) \(missing.joined(separator: ", ")).\(hint)")
        }
    }

    private func rowOfTable() -> Result<Draft, FoodDiaryImport.Problem> {
        understand(on: fields.line) {
            guard fields.count == width else {
                throw UnreadableValue(column: nil, message: "The row has \(fields.count) fields rather than \(width).")
            }
            guard !fields.isMisquoted else {
                throw UnreadableValue(column: nil, message: "A quoted field must be followed by a comma or the end of the line.")
            }
            return try Draft(ExchangeRow(columns: Draft.columns, fields: fields, places: places), zones)
        }
    }

    // MARK: JSON

    private mutating func element(_ object: Data, _ line: Int) -> Result<Draft, FoodDiaryImport.Problem> {
        if objectsWithNames > 0 {
            objectsWithNames -= 1
            let names = (try? decoder.decode(ObjectNames.self, from: object).names) ?? []
            let unknown = names.filter { name in !ignored.contains(name) && !Draft.isKnown(name) }
            ignored += unknown.sorted()
        }
        return understand(on: line) { try Draft(try decoder.decode(Draft.Object.self, from: object), zones) }
    }

    // MARK: Both formats

    private func understand(on line: Int, _ draft: () throws -> Draft) -> Result<Draft, FoodDiaryImport.Problem> {
        do {
            return .success(try draft().validated())
        } catch let error as UnreadableValue {
            return .failure(FoodDiaryImport.Problem(line: line, column: error.column, message: error.message))
        } catch let error as FoodDiaryError {
            return .failure(FoodDiaryImport.Problem(line: line, column: nil, message: error.message))
        } catch let error as DecodingError {
            return .failure(FoodDiaryImport.Problem(line: line, error))
        } catch {
            return .failure(FoodDiaryImport.Problem(line: line, column: nil, message: "\(error)"))
        }
    }
}

extension ExchangedDraft {
    /// Whether objects may have a value with this name.
    fileprivate static func isKnown(_ name: String) -> Bool {
        if name == "nutrients" { return true }
        return columns.contains { $0.name == name } && !ExchangeColumn.nutrients.contains { $0.name == name }
    }
}

/// The names of the values of an object.
private struct ObjectNames: Decodable {
    let names: [String]

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws { names = try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue) }
}

extension FoodDiaryImport.Problem {
    fileprivate init(line: Int, _ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context): self.init(line: line, context.codingPath + [key], "The value is missing.")
        case .valueNotFound(_, let context): self.init(line: line, context.codingPath, "The value is missing.")
        case .typeMismatch(let type, let context):
            let what =
                type == Double.self ? "a number" : type == String.self ? "a text" : type is any Collection.Type ? "a list" : "an object"
            self.init(line: line, context.codingPath, "It is not \(what).")
        case .dataCorrupted(let context): self.init(line: line, context.codingPath, "It is not valid JSON. \(context.debugDescription)")
        @unknown default: self.init(line: line, column: nil, message: "It can't be read.")
        }
    }

    private init(line: Int, _ path: [any CodingKey], _ message: String) {
        self.init(line: line, column: path.isEmpty ? nil : path.map(\.stringValue).joined(separator: "."), message: message)
    }
}
