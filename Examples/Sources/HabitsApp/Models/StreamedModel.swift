import Observation

/// Way d: the repository returns streams, and the model keeps their latest values. It doesn't know about queries.
@MainActor @Observable
package final class StreamedModel: OverviewModel {
    package var overview: Overview { Overview(day: day, habits: habits, done: done, streaks: streaks, statistics: statistics) }
    package var problem: String? { work.problem ?? failure }

    private var day: Day
    private var failure: String?
    private var habits: [Habit] = []
    private var done: Set<Habit.ID> = []
    private var streaks: [Habit.ID: Int] = [:]
    private var statistics = Statistics.none

    private let streams: HabitStreams
    private let week: Week
    private let work = SerialWork()
    @ObservationIgnored private var loops: [Loop] = []
    @ObservationIgnored private var loopOfDay: Loop?

    package init(streams: HabitStreams, week: Week) {
        (self.streams, self.week, day) = (streams, week, week.lastDay)
        loops = [
            follow(streams.habits(), \.habits), follow(streams.streaks(in: week), \.streaks),
            follow(streams.statistics(in: week), \.statistics),
        ]
        show(day)
    }

    package func tap(_ habit: Habit) {
        let mark = overview.toggled(habit)
        work.run { [self] in try await streams.save(mark) }
    }

    package func show(_ day: Day) {
        self.day = day
        loopOfDay = nil
        loopOfDay = follow(streams.done(on: day, in: week), \.done)
    }

    package func becomeActive() {}  // the streams follow other processes

    package func written() async { await work.ended() }

    private func follow<Value: Sendable>(
        _ stream: AsyncThrowingStream<Value, any Error>,
        _ property: ReferenceWritableKeyPath<StreamedModel, Value>
    ) -> Loop {
        Loop { [weak self] in
            do {
                for try await value in stream {
                    if Task.isCancelled { return }
                    self?[keyPath: property] = value
                }
            } catch {
                self?.failure = "\(error)"
            }
        }
    }
}

/// A loop over a stream, which ends together with its owner.
private final class Loop: Sendable {
    private let task: Task<Void, Never>

    init(_ body: @escaping @MainActor () async -> Void) { task = Task { await body() } }

    deinit { task.cancel() }
}
