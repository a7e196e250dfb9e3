import QueryKit

extension Part {
    static let shared = Part(
        name: "shared",
        title: "Two observers share one fetch",
        about: "A list and a badge each ask for today's entries. Equal requests are one request."
    ) { screen in
        let stage = Stage(screen, clock: SystemClock(), latency: .milliseconds(80))
        let list = View.list(on: stage.log).open(ViewModel(EntriesOfDay(day: .today), in: stage.client))
        let badge = View.badge(on: stage.log).open(ViewModel(EntriesOfDay(day: .today), in: stage.client))
        await stage.client.settled()
        list.cancel()
        badge.cancel()
        let reads = await stage.repository.readCount
        return Outcome(text: "2 observers, \(Text.count(reads, "read")).", isAsPromised: reads == 1)
    }
}
