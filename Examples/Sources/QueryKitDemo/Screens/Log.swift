import QueryKit

/// Writes lines of three columns: how long the part has been going on, who speaks, and what.
struct Log: Sendable {
    private let screen: Screen
    private let clock: any QueryClock
    private let start: QueryInstant

    init(screen: Screen, clock: any QueryClock) {
        self.screen = screen
        self.clock = clock
        start = clock.now
    }

    func note(_ who: String, _ what: String) {
        let time = Text.padded(Text.milliseconds(start.duration(to: clock.now)), to: 9, isRight: true)
        screen.write("\(screen.paint(time, .faint))  \(screen.paint(Text.padded(who, to: 10), .name))  \(what)")
    }
}
