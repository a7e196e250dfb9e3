package import FoodDiaryKit
import Observation
package import QueryKit

/// Today's entries and their total. Entries that are logged or deleted show at once, and a change
/// that fails is taken back.
@MainActor @Observable
package final class TodayModel: QueryModel {
    package let queryClient: QueryClient
    /// The sheet in which the user adds food; `nil` while it is closed.
    package var adding: AddFoodModel?
    private var refusal: String?

    // A commit changes the list and its total in one step.
    @ObservationIgnored @SharedQuery(FoodEntry.today.consistent(), default: [])
    package var entries
    @ObservationIgnored @SharedQuery(DailyTotal.today.consistent())
    private var total
    @ObservationIgnored @SharedQuery(EnergyGoal.current, default: EnergyGoal.standard)
    private var goal
    @ObservationIgnored @SharedMutation(LogFood()) private var logging
    @ObservationIgnored @SharedMutation(DeleteEntry()) private var deletion

    package init(queryClient: QueryClient) { self.queryClient = queryClient }

    package var showsSpinner: Bool { $entries.isLoading }
    package var isEmpty: Bool { entries.isEmpty && $entries.current != nil }
    package var nutrients: Nutrients { total?.nutrients ?? .zero }
    package var balance: EnergyBalance { EnergyBalance(eaten: nutrients.kilocalories, goal: goal) }

    /// The change that failed last, or the reason why the entries can't be read.
    package var problem: String? {
        if let refusal { return refusal }
        if let error = deletion.error { return "Not deleted: \(error)" }
        if let error = logging.error { return "Not logged: \(error)" }
        return ($entries.error ?? $total.error).map { "Today can't be read: \($0)" }
    }

    package func startAdding() {
        adding = AddFoodModel(queryClient: queryClient) { [weak self] in self?.adding = nil }
    }

    package func delete(_ entry: FoodEntry) { attempt { try deletion.submit(entry) } }

    /// Repeats the change that failed, or else reads again.
    package func retry() {
        attempt {
            let deleted = try deletion.retryLatest()
            let logged = try logging.retryLatest()
            if deleted == nil && logged == nil { refetch() }
        }
    }

    /// Returns when both reads have a result.
    package func refresh() async { for refetches in refetch() { await refetches.finished() } }

    @discardableResult
    private func refetch() -> [QueryRefetches] { [$entries.refetch(), $total.refetch()] }

    private func attempt(_ change: () throws -> Void) {
        refusal = nil
        do { try change() } catch { refusal = "\(error)" }
    }
}
