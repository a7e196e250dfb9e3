/// The style of a text, named by its meaning.
package enum Style: Hashable, Sendable {
    case plain
    case title
    case faint
    case name
    case strong
    case good
    case bad
    case warning

    /// One of several series drawn side by side, from 0 to 3.
    case series(Int)

    /// A level from 0 to 4, shown as the background of a text.
    case heat(Int)
}

/// The colors that a terminal can show.
package enum Palette: Hashable, Sendable {
    /// No colors.
    case none
    /// The 16 colors that the user sets in the terminal.
    case basic
    /// 256 fixed colors.
    case extended

    /// The colors of a terminal; none if `NO_COLOR` is set (https://no-color.org), the terminal is dumb, or the output isn't a terminal.
    package static func of(isTerminal: Bool, environment: [String: String]) -> Palette {
        let refuses = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        guard isTerminal, !refuses, environment["TERM"] != "dumb" else { return .none }
        return best(environment: environment)
    }

    /// The most colors of a terminal that is known to have some.
    package static func best(environment: [String: String]) -> Palette {
        let names = [environment["TERM"], environment["COLORTERM"]].compactMap { $0 }
        let isExtended = names.contains { $0.contains("256color") || $0.contains("truecolor") || $0.contains("24bit") }
        return isExtended ? .extended : .basic
    }

    /// The parameters of the escape sequence, between `ESC[` and `m`; `nil` for plain text.
    func code(_ style: Style) -> String? {
        guard self != .none else { return nil }
        return switch style {
        case .plain: nil
        case .title: "1"
        case .faint: "2"
        case .name: "36"
        case .strong: "1"
        case .good: "32"
        case .bad: "31"
        case .warning: "33"
        case .series(let index): self == .extended ? Self.series[index & 3] : Self.basicSeries[index & 3]
        case .heat(let level): self == .extended ? Self.heat[min(max(level, 0), 4)] : nil
        }
    }

    private static let series = ["38;5;67", "38;5;172", "38;5;132", "38;5;71"]
    private static let basicSeries = ["34", "33", "35", "32"]

    // Backgrounds with their own text colors, so that they are readable on light and dark terminals.
    private static let heat = ["48;5;254;38;5;236", "48;5;223;38;5;236", "48;5;215;38;5;236", "48;5;172;38;5;231", "48;5;130;38;5;231"]
}
