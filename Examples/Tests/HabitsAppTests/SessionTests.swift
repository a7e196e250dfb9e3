import HabitsApp
import Testing

/// The session in all five ways, with a widget in another process.
@MainActor
@Suite(.timeLimit(.minutes(2)))
struct SessionTests {
    @Test func `after each step, all ways show the same screen`() async throws {
        let sessions = try await Self.sessions.value
        let screens = sessions[0].results.map(\.screen)
        #expect(screens.count == 49)
        for session in sessions {
            for (step, (shown, expected)) in zip(session.results.map(\.screen), screens).enumerated() {
                #expect(shown == expected, "Way \(session.way.rawValue), step \(step + 1)")
            }
            #expect(session.results.count == screens.count)
        }
    }

    @Test func `the screens contain ten completed habits, the past days, and what the widget marked`() async throws {
        let results = try await Self.sessions.value[0].results
        #expect(results[0].screen.first == "2026-11-22: 0 of 30 done")
        #expect(results[10].screen.first == "2026-11-22: 10 of 30 done")
        let days = results[11...22].compactMap { $0.screen.first?.prefix(10) }
        #expect(days.prefix(6) == ["2026-11-21", "2026-11-20", "2026-11-19", "2026-11-18", "2026-11-17", "2026-11-16"])
        #expect(days.last == "2026-11-22")
        #expect(results[35].screen == results[34].screen)  // the app is suspended
        #expect(results[36].screen.first == "2026-11-22: 11 of 30 done")
        #expect(results[36].screen.contains { $0.hasPrefix("  [x] \(Session.habitOfWidget) ") })
    }

    @Test func `with layers and reactivity, the app reads at most a hundredth of what it reads by reloading`() async throws {
        let counts = Dictionary(uniqueKeysWithValues: try await Self.sessions.value.map { ($0.way, $0.readCount) })
        #expect(try 100 * #require(counts[.layers]) <= #require(counts[.reload]))
    }

    @Test func `each way reads a fixed number of statements in each chapter`() async throws {
        let counts = try await Self.sessions.value.map { session in Chapter.allCases.map(session.readCount) }
        #expect(
            counts == [
                [94, 940, 2256, 0, 94, 1128],
                [94, 930, 186, 0, 94, 186],
                [92, 330, 180, 0, 92, 180],
                [94, 930, 744, 0, 93, 372],
                [31, 10, 0, 0, 1, 0],
            ]
        )
    }

    /// The sessions of all ways, run once for all tests.
    private static let sessions = Task { @MainActor in
        let other = try SecondProcess()
        var sessions: [Session] = []
        for way in Way.allCases {
            let runner = try await SessionRunner(way, file: other.file(way.rawValue)) { try other.markHabitOfWidget(in: $0) }
            sessions.append(try await runner.run())
        }
        return sessions
    }
}
