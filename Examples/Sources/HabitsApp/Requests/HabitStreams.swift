package import QueryKit

/// A repository that returns streams. A stream sends the current value when it begins, and a new one after each commit that changes it.
/// It ends with the first error.
package struct HabitStreams: Sendable {
    private let client: QueryClient

    /// - Parameter client: A client that is connected to the database.
    package init(client: QueryClient) { self.client = client }

    package func habits() -> AsyncThrowingStream<[Habit], any Error> { stream(Overview.habits) }

    package func done(on day: Day, in week: Week) -> AsyncThrowingStream<Set<Habit.ID>, any Error> {
        stream(Overview.done(on: day, in: week))
    }

    package func streaks(in week: Week) -> AsyncThrowingStream<[Habit.ID: Int], any Error> { stream(Overview.streaks(in: week)) }

    package func statistics(in week: Week) -> AsyncThrowingStream<Statistics, any Error> { stream(Overview.statistics(in: week)) }

    package func save(_ mark: Mark) async throws { try await MarkHabit(repository: client.context.habits)(mark) }

    /// What the streams have sent, or are about to send.
    package func latest(on day: Day, in week: Week) -> Overview {
        Overview(
            day: day,
            habits: client.value(for: Overview.habits) ?? [],
            done: client.value(for: Overview.done(on: day, in: week)) ?? [],
            streaks: client.value(for: Overview.streaks(in: week)) ?? [:],
            statistics: client.value(for: Overview.statistics(in: week)) ?? .none
        )
    }

    private func stream<Value: Equatable>(_ request: InlineQuery<Value>) -> AsyncThrowingStream<Value, any Error> {
        let (stream, values) = AsyncThrowingStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let subscription = client.store(for: request).subscribe(
            with: QueryEventHandler(onResultReceived: { result, _ in
                switch result {
                case .success(let value): values.yield(value)
                case .failure(let error): values.finish(throwing: error)
                }
            })
        )
        values.onTermination = { _ in subscription.cancel() }
        return stream
    }
}
