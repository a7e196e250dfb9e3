import Foundation

/// Standard output, in colour where somebody looks at it.
struct Screen: Sendable {
    enum Style: String {
        case title = "1"
        case faint = "2"
        case name = "36"
        case good = "32"
        case bad = "31"
    }

    private let hasColor: Bool

    /// In colour on a terminal, unless `NO_COLOR` is set (https://no-color.org) or the terminal is dumb.
    init() {
        let environment = ProcessInfo.processInfo.environment
        let refuses = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        hasColor = isatty(STDOUT_FILENO) == 1 && !refuses && environment["TERM"] != "dumb"
    }

    func write(_ line: String = "") { print(line) }

    func paint(_ text: String, _ style: Style) -> String {
        hasColor ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}
