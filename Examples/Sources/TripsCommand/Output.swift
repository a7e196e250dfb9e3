import Foundation

/// The standard streams, unbuffered, so that a reader of a pipe sees each line at once.
enum Output {
    static let isTerminal = isatty(STDOUT_FILENO) == 1

    static func write(_ lines: [String]) { write(lines, to: .standardOutput) }

    static func complain(_ line: String) { write(["trips: \(line)"], to: .standardError) }

    private static func write(_ lines: [String], to handle: FileHandle) {
        handle.write(Data(lines.map { $0 + "\n" }.joined().utf8))
    }
}
