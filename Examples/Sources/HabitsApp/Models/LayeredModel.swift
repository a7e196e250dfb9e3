import Observation
package import QueryKit

/// Way e: the model derives all parts from shared histories. A tap lays an optimistic layer over them, and the database reports which
/// history a commit has changed. Nothing is invalidated or reloaded by hand.
@MainActor @Observable
package final class LayeredModel: OverviewModel, QueryModel {
    package let queryClient: QueryClient
    package private(set) var day: Day

    @ObservationIgnored @SharedQuery(Overview.habits.freshUntilChanged(), default: []) private var habits
    @ObservationIgnored @SharedQuery<DefaultedState<InlineQuery<[Habit.ID: History]>.State>> private var histories: [Habit.ID: History]
    @ObservationIgnored @SharedMutation<Mark, Void> private var save: SharedMutation<Mark, Void>
    private var refusal: (any Error)?
    private let week: Week

    package var overview: Overview { Overview(day: day, habits: habits, histories: histories, week: week) }
    package var problem: String? { (refusal ?? save.error ?? $histories.error).map { "\($0)" } }

    package init(queryClient: QueryClient, week: Week) {
        (self.queryClient, self.week, day) = (queryClient, week, week.lastDay)
        _histories = SharedQuery(History.all(in: week).freshUntilChanged(), default: [:])
        _save = SharedMutation(Mark.save(in: week))
    }

    package func tap(_ habit: Habit) {
        refusal = nil
        do { try save.submit(overview.toggled(habit)) } catch { refusal = error }
    }

    package func show(_ day: Day) { self.day = day }

    package func becomeActive() {}  // the requests follow other processes

    package func written() async {}  // the client waits for its calls
}
