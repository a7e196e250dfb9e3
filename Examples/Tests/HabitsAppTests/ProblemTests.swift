import HabitsApp
import Observation
import QueryKit
import QueryKitTesting
import Testing

/// A database that can't be read.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct ProblemTests {
    @Test(arguments: Way.allCases) func `each way shows why nothing can be read`(way: Way) async throws {
        let client = QueryClient.test(context: .habits(BrokenHabits()))
        let model = way.model(client: client, week: Session.week)
        _ = model.overview
        while model.problem == nil {
            await withCheckedContinuation { change in
                withObservationTracking {
                    _ = model.problem
                } onChange: {
                    change.resume()
                }
            }
        }
        #expect(model.problem == "The disk is broken.")
        #expect(model.overview.rows.isEmpty)
    }
}

private struct BrokenHabits: HabitRepository {
    func habits() throws -> [Habit] { throw DiskError() }

    func history(of habit: Habit.ID, in week: Week) throws -> History { throw DiskError() }

    func save(_ mark: Mark) throws { throw DiskError() }

    func add(_ name: String) throws { throw DiskError() }
}
