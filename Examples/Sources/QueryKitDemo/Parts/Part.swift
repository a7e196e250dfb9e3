import QueryKit

/// One thing to show, told by itself.
struct Part: Sendable {
    let name: String
    let title: String
    let about: String

    /// Acts it out, and tells what came of it.
    let play: @Sendable (Screen) async throws -> Outcome

    /// What came of a part, in one line, and whether it is what QueryKit promises.
    struct Outcome: Sendable {
        let text: String
        let isAsPromised: Bool
    }

    static let all: [Part] = [.shared, .freshness, .invalidation, .race, .cancellation, .retry]

    /// Shows the part; `false` if it went otherwise than QueryKit promises.
    func show(on screen: Screen) async throws -> Bool {
        screen.write(screen.paint(title, .title) + screen.paint("  (\(name))", .faint))
        screen.write(about)
        screen.write()
        let outcome = try await play(screen)
        screen.write()
        if outcome.isAsPromised {
            screen.write(screen.paint("→ \(outcome.text)", .good))
        } else {
            screen.write(screen.paint("✗ Not as promised: \(outcome.text)", .bad))
        }
        return outcome.isAsPromised
    }
}

/// What a part plays with: a clock, a repository behind use cases, and a client that knows both.
struct Stage<Clock: QueryClock>: Sendable {
    let clock: Clock
    let log: Log
    let repository: DemoRepository
    let useCases: DiaryUseCases
    let client: QueryClient

    init(_ screen: Screen, clock: Clock, latency: Duration = .zero, failures: Int = 0) {
        self.clock = clock
        log = Log(screen: screen, clock: clock)
        repository = DemoRepository(latency: latency, failures: failures, log: log)
        useCases = DiaryUseCases(repository: repository)
        var context = QueryContext()
        context.clock = clock
        context.listFoodEntries = useCases
        context.sumEnergy = useCases
        client = QueryClient(context: context)
    }
}
