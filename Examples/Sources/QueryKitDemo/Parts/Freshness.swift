import QueryKit

extension Part {
    static let freshness = Part(
        name: "freshness",
        title: "A value grows old",
        about: "Entries are fresh for 60 seconds. The list is opened three times; the clock is moved by hand."
    ) { screen in
        let stage = Stage(screen, clock: ManualClock())
        let model = ViewModel(EntriesOfDay(day: .today).ttl(.seconds(60)), in: stage.client)
        let view = View.list(on: stage.log)
        for pause in [Duration.zero, .milliseconds(59_999), .milliseconds(1)] {
            if pause > .zero {
                stage.clock.advance(by: pause)
                stage.log.note("clock", "moved by \(Text.milliseconds(pause)); the list is opened again")
            }
            let list = view.open(model)
            await stage.client.settled()
            list.cancel()
        }
        let reads = await stage.repository.readCount
        return Outcome(
            text: "Opened 3 times, \(Text.count(reads, "read")): entries of 59 999 ms are fresh, entries of 60 000 ms are stale.",
            isAsPromised: reads == 2
        )
    }
}
