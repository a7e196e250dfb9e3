import Foundation

/// The number of columns and rows of a terminal.
package struct TerminalSize: Hashable, Sendable {
    package let columns: Int
    package let rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// The size of the terminal at a file descriptor; without a terminal, the values of `COLUMNS` and `LINES`, or 80 by 24.
    package static func current(of descriptor: Int32 = STDOUT_FILENO, environment: [String: String] = ProcessInfo.processInfo.environment)
        -> TerminalSize
    {
        var size = winsize()
        if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 {
            return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
        }
        let number = { (name: String) in environment[name].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }
        return TerminalSize(columns: number("COLUMNS") ?? 80, rows: number("LINES") ?? 24)
    }
}
