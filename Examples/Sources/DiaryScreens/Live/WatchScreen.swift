package import Foundation
package import Terminal

/// Today on a live screen: the lines that fit, and a line with the cause of the latest change.
package struct WatchScreen: Hashable, Sendable {
    package let day: LiveDay
    package let timeZone: TimeZone

    /// The number of lines scrolled off the top.
    package let offset: Int

    /// The address of the inspector, if there is one.
    private let inspector: URL?

    package init(_ day: LiveDay, timeZone: TimeZone, offset: Int = 0, inspector: URL? = nil) {
        self.day = day
        self.timeZone = timeZone
        self.offset = offset
        self.inspector = inspector
    }

    /// The same screen with another state.
    func showing(_ day: LiveDay) -> WatchScreen { WatchScreen(day, timeZone: timeZone, offset: offset, inspector: inspector) }

    /// The same screen with another number of lines scrolled off the top.
    func scrolled(to offset: Int) -> WatchScreen { WatchScreen(day, timeZone: timeZone, offset: offset, inspector: inspector) }

    package func lines(in size: TerminalSize) -> [Line] {
        let body = day.screen?.lines(width: size.columns) ?? [Line("Reading today …", .faint)]
        let room = max(1, size.rows - 2)
        let start = min(max(offset, 0), max(0, body.count - room))
        var shown = Array(body.dropFirst(start).prefix(room))
        if start + room < body.count, let last = shown.indices.last {
            shown[last] = Line("… \(Number.count(body.count - start - room + 1, "line", "lines")) below", .faint)
        }
        shown += Array(repeating: Line(), count: room - shown.count)
        return shown + [(address ?? Line()).truncated(to: size.columns), footer.truncated(to: size.columns)]
    }

    /// The maximum number of lines that can be scrolled off.
    package func scrollLimit(in size: TerminalSize) -> Int {
        max(0, (day.screen?.lines(width: size.columns).count ?? 0) - max(1, size.rows - 2))
    }

    /// Standard error is often the same terminal, and hidden while the screen is shown.
    private var address: Line? { inspector.map { Line("Inspector: \($0.absoluteString)", .faint) } }

    private var footer: Line {
        if let failure = day.failure { return "\("q", .strong) quits  \(failure, .bad)" }
        let time = day.updatedAt.map { "\(clock($0)): " } ?? ""
        return "\("q", .strong)\(" quits  ", .faint)\(time + day.cause, .faint)"
    }

    private func clock(_ date: Date) -> String {
        let seconds = Int((date.timeIntervalSince1970 + Double(timeZone.secondsFromGMT(for: date))).rounded(.down))
        return [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
