/// The code of an act as the demo shows it: the marked parts of its source file.
///
/// `Tools/lint/samples.py` copies them into `ActCode+Sources.swift`, and `make lint` fails if they differ.
package struct ActCode: Hashable, Sendable {
    package struct CodeLine: Hashable, Sendable {
        /// The number of the line in the file.
        package let number: Int
        package let text: String
    }

    /// The name of the source file.
    package let file: String
    package let lines: [CodeLine]

    /// - Parameter parts: The parts, each with the number of its first line.
    init(_ file: String, _ parts: KeyValuePairs<Int, String>) {
        self.file = file
        lines = parts.flatMap { start, text in
            text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
                CodeLine(number: start + index, text: String(line))
            }
        }
    }

    /// The width of the widest line.
    package var width: Int { lines.map(\.text.count).max() ?? 0 }
}
