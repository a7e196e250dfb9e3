import QueryKit
import Terminal

// snippet.show
extension Trip {
    static let all = InlineQuery("trips/all") { context in
        try await context.api.trips()
    }
}
// snippet.hide

/// Act 1: callers that ask for the same share one run, and a fresh value needs none.
enum ManyCallers {
    @MainActor
    static func play(on stage: Stage) async throws {
        let client = stage.client
        var answers: [[Trip]] = []
        // snippet.show
        let trips = Trip.all.ttl(.seconds(30))

        let callers = (1...1_000).map { _ in
            Task { try await client.fetch(trips) }
        }
        // snippet.hide
        stage.note("1,000 callers fetch the trips")
        // snippet.show
        try await stage.passes(.seconds(0.8))
        for caller in callers {
            answers.append(try await caller.value)
        }

        // snippet.hide
        stage.count("answers", answers.count)
        stage.note("\(Number.whole(answers.count)) answers, each \(answers[0].screenText)")
        try await stage.passes(.seconds(0.5))

        // snippet.show
        // Once more: the value is still fresh.
        for _ in 1...1_000 {
            answers.append(try await client.fetch(trips))
        }
        // snippet.hide
        stage.count("answers", answers.count)
        stage.note("1,000 more answers, from memory")
        try await stage.passes(.seconds(0.2))
        stage.conclude("\(Number.whole(answers.count)) answers, \(stage.api.requestCount) request.")
    }
}
