import QueryKit

extension Part {
    static let retry = Part(
        name: "retry",
        title: "Two failures, then a result",
        about: "Delays double from one second on. The clock is moved by hand, a quarter of a second at a time."
    ) { screen in
        let stage = Stage(screen, clock: ManualClock(), failures: 2)
        // A full jitter of 1 waits for the whole delay, so that it can be read off.
        let request = EntriesOfDay(day: .today).retry(limit: 3, backoff: .exponential(jitter: { 1 }))
        let model = ViewModel(request, in: stage.client)
        let list = View.list(on: stage.log).open(model)
        await stage.client.settled()
        var delays: [Duration] = []
        var waited = Duration.zero
        while model.isLoading {
            let attempts = await stage.repository.readCount
            stage.clock.advance(by: .milliseconds(250))
            await stage.client.settled()
            waited += .milliseconds(250)
            if await stage.repository.readCount > attempts {
                delays.append(waited)
                waited = .zero
            }
        }
        list.cancel()
        return Outcome(
            text: "\(delays.count + 1) attempts in one run, after delays of "
                + delays.map { Text.milliseconds($0) }.joined(separator: " and ") + ", and nobody slept.",
            isAsPromised: delays == [.seconds(1), .seconds(2)]
        )
    }
}
