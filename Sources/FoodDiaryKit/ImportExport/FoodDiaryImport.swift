/// What is in a file, and what became of it.
public struct FoodDiaryImport: Hashable, Sendable {
    /// What is wrong with a row.
    public struct Problem: Error, Hashable, Sendable {
        /// The line on which the row begins, from 1.
        public let line: Int

        /// The column that is wrong; `nil` if it is the whole row.
        public let column: String?

        /// What is wrong with it.
        public let message: String
    }

    /// How many rows can be read.
    public internal(set) var rowCount = 0

    /// How many of them are new to the diary.
    public internal(set) var addedCount = 0

    /// How many of them the diary has: such an entry is left out, such an ingredient takes the place of what is there.
    public internal(set) var knownCount = 0

    /// What the file has beside what a diary keeps, and what was left out.
    public internal(set) var ignoredColumns: [String] = []

    /// What is wrong with the first rows of which something is.
    public internal(set) var problems: [Problem] = []

    /// How many rows are wrong in all.
    public internal(set) var problemCount = 0

    /// How many problems are kept.
    static let kept = 20

    mutating func add(_ problem: Problem) {
        problemCount += 1
        if problems.count < Self.kept { problems.append(problem) }
    }

    /// Throws if there is any problem, with a line for each.
    func requireNoProblem(in file: String) throws {
        guard problemCount > 0 else { return }
        var lines = ["Nothing of \(file) was imported."] + problems.map(\.description)
        if problemCount > problems.count { lines.append("and \(problemCount - problems.count) more") }
        throw FoodDiaryError(.format, lines.joined(separator: "\n"))
    }
}

extension FoodDiaryImport.Problem: CustomStringConvertible {
    /// Such as "line 17: grams: 'abc' is no number".
    public var description: String { "line \(line): " + (column.map { $0 + ": " } ?? "") + message }
}

/// What is wrong with a file from some line on, so that the rest of it can not be read.
struct UnreadableFile: Error {
    let problem: FoodDiaryImport.Problem

    init(line: Int, _ message: String) { problem = FoodDiaryImport.Problem(line: line, column: nil, message: message) }
}

/// What is wrong with one value of a row.
struct UnreadableValue: Error {
    let column: String?
    let message: String
}
