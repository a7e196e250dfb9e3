import QueryKit

extension Part {
    static let cancellation = Part(
        name: "cancellation",
        title: "A caller gives up, another waits",
        about: "Two callers wait for one read, and the one who came first is cancelled."
    ) { screen in
        let stage = Stage(screen, clock: SystemClock(), latency: .milliseconds(120))
        let first = Task { await call("first", on: stage) }
        try await stage.clock.sleep(for: .milliseconds(20))
        let second = Task { await call("second", on: stage) }
        try await stage.clock.sleep(for: .milliseconds(20))
        stage.log.note("first", "is cancelled")
        first.cancel()
        let results = await [first.value, second.value]
        let reads = await stage.repository.readCount
        return Outcome(
            text: "2 callers, \(Text.count(reads, "read")): it went on for the one who stayed.",
            isAsPromised: results == [false, true] && reads == 1
        )
    }

    /// Waits for today's entries; `true` if they came.
    private static func call(_ name: String, on stage: Stage<SystemClock>) async -> Bool {
        stage.log.note(name, "asks for today's entries")
        do {
            let entries = try await ViewModel(EntriesOfDay(day: .today), in: stage.client).load()
            stage.log.note(name, "has \(entries.map(\.name).joined(separator: ", "))")
            return true
        } catch {
            stage.log.note(name, "leaves with \(type(of: error))")
            return false
        }
    }
}
