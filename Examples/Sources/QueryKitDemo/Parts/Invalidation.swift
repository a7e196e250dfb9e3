import QueryKit

extension Part {
    static let invalidation = Part(
        name: "invalidation",
        title: "One pattern, many requests",
        about: "Today's entries and energy are on screen, yesterday's entries were seen before. Then something is eaten."
    ) { screen in
        let stage = Stage(screen, clock: SystemClock(), latency: .milliseconds(30))
        let (client, log) = (stage.client, stage.log)
        let yesterday = ViewModel(EntriesOfDay(day: .yesterday).ttl(.infinity), in: client)
        let seen = View.list("yesterday", on: log).open(yesterday)
        await client.settled()
        seen.cancel()
        log.note("yesterday", "is closed, and stays cached")
        let list = View.list(on: log).open(ViewModel(EntriesOfDay(day: .today).ttl(.infinity), in: client))
        await client.settled()
        let energy = View.energy(on: log).open(ViewModel(EnergyOfDay(day: .today).ttl(.infinity), in: client))
        await client.settled()

        try await stage.useCases.log(FoodEntry(day: .today, name: "Apple", kilocalories: 95))
        let before = await stage.repository.readCount
        log.note("client", "invalidate(\"food/**\")")
        client.invalidate("food/**")
        await client.settled()
        let reads = await stage.repository.readCount - before
        log.note("yesterday", yesterday.isOutdated ? "only marked: the next who opens it brings a read" : "not marked")
        list.cancel()
        energy.cancel()
        let matches = client.stores(matching: "food/**").count
        return Outcome(
            text: "\(matches) requests matched, \(Text.count(reads, "read")): what nobody looks at waits for the next who does.",
            isAsPromised: matches == 3 && reads == 2 && yesterday.isOutdated
        )
    }
}
