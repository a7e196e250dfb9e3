import QueryKit

extension Part {
    static let race = Part(
        name: "race",
        title: "An invalidation during the first load",
        about: "Something is eaten while the first read is under way. What it brings is out of date, and that is not forgotten."
    ) { screen in
        let stage = Stage(screen, clock: SystemClock(), latency: .milliseconds(120))
        let list = View.list(on: stage.log).open(ViewModel(EntriesOfDay(day: .today).ttl(.infinity), in: stage.client))
        try await stage.clock.sleep(for: .milliseconds(40))
        try await stage.useCases.log(FoodEntry(day: .today, name: "Apple", kilocalories: 95))
        stage.client.invalidate("food/**")
        await stage.client.settled()
        list.cancel()
        let hasApple = stage.client.value(for: EntriesOfDay(day: .today))?.contains { $0.name == "Apple" } ?? false
        let reads = await stage.repository.readCount
        return Outcome(
            text: "\(Text.count(reads, "read")), and the apple is \(hasApple ? "there" : "lost").",
            isAsPromised: hasApple && reads == 2
        )
    }
}
