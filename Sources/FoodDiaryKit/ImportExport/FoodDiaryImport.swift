/// The result of checking or importing a file.
public struct FoodDiaryImport: Hashable, Sendable {
    /// A problem with a row.
    public struct Problem: Error, Hashable, Sendable {
        /// The line on which the row begins, from 1.
        public let line: Int

        /// The invalid column; `nil` if the problem concerns the whole row.
        public let column: String?

        /// A description of the problem.
        public let message: String
    }

    /// The number of valid rows.
    public internal(set) var rowCount = 0

    /// The number of valid rows that are new to the diary.
    public internal(set) var addedCount = 0

    /// The number of valid rows that the diary has already. Such an entry is left out; such an ingredient replaces the existing one.
    public internal(set) var knownCount = 0

    /// The names of columns or values in the file that a diary doesn't store. They were ignored.
    public internal(set) var ignoredColumns: [String] = []

    /// The problems of the first invalid rows.
    public internal(set) var problems: [Problem] = []

    /// The number of all invalid rows.
    public internal(set) var problemCount = 0

    /// The maximum number of problems in ``problems``.
    static let kept = 20

    mutating func add(_ problem: Problem) {
        problemCount += 1
        if problems.count < Self.kept { problems.append(problem) }
    }

    /// Throws an error that lists the problems, if there are any.
    func requireNoProblem(in file: String) throws {
        guard problemCount > 0 else { return }
        var lines = ["Nothing of \(file) was imported."] + problems.map(\.description)
        if problemCount > problems.count { lines.append("and \(problemCount - problems.count) more") }
        throw FoodDiaryError(.format, lines.joined(separator: "\n"))
    }
}

extension FoodDiaryImport.Problem: CustomStringConvertible {
    /// For example "line 17: grams: 'abc' is not a number".
    public var description: String { "line \(line): " + (column.map { $0 + ": " } ?? "") + message }
}

/// A problem in one line that makes the rest of the file unreadable.
struct UnreadableFile: Error {
    let problem: FoodDiaryImport.Problem

    init(line: Int, _ message: String) { problem = FoodDiaryImport.Problem(line: line, column: nil, message: message) }
}

/// A problem with one value of a row.
struct UnreadableValue: Error {
    let column: String?
    let message: String
}
