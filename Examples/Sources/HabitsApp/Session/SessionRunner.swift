package import Foundation
import Observation
import QueryKit
import QueryKitSQLite

/// Runs a session in one of the ways, over a new file.
@MainActor
package final class SessionRunner {
    private let way: Way
    private let week = Session.week
    private let counted: CountedDatabase
    private let streams: HabitStreams
    private let client: QueryClient
    private let widget: (_ file: URL) async throws -> Void
    private let file: URL
    private var model: (any OverviewModel)?
    private var foreignRun: Task<Void, Never>?

    /// Opens a new file, and fills it with the sample.
    ///
    /// - Parameter widget: Marks ``Session/habitOfWidget`` on the last day of ``Session/week``, in another process.
    package init(_ way: Way, file: URL, widget: @escaping (_ file: URL) async throws -> Void) async throws {
        let configuration = SQLiteHabits.configuration(isFollowed: way.followsDatabase)
        let database = try await SQLiteDatabase.open(.file(file), migrations: SQLiteHabits.migrations, configuration: configuration)
        try await SampleHabits.add(to: SQLiteHabits(CountedDatabase(database)), in: week)
        counted = CountedDatabase(database)
        client = QueryClient(context: .habits(SQLiteHabits(counted)), configuration: .isolated)
        if way.followsDatabase { client.connect(to: database) }
        streams = HabitStreams(client: client)
        (self.way, self.file, self.widget) = (way, file, widget)
    }

    /// Takes all steps, and closes the file.
    package func run() async throws -> Session {
        var results: [StepResult] = []
        do {
            for chapter in Chapter.allCases {
                for step in chapter.steps(in: week) { results.append(try await take(step, of: chapter)) }
            }
        } catch {
            await counted.database.close()
            throw error
        }
        model = nil
        await counted.database.close()
        return Session(way: way, results: results)
    }

    private func take(_ step: Step, of chapter: Chapter) async throws -> StepResult {
        let before = await counted.readCount
        let model = model ?? way.model(client: client, week: week)
        self.model = model
        switch step {
        case .open: _ = model.overview
        case .tap(let index): model.tap(model.overview.rows[index].habit)
        case .show(let day): model.show(day)
        case .leave: try await leave()
        case .comeBack: await comeBack(model)
        }
        if step != .leave { await settle(model) }
        let screen = OverviewScreen(model.overview, problem: model.problem).lines
        return StepResult(chapter: chapter, screen: screen, readCount: await counted.readCount - before)
    }

    /// Suspends the app as a phone does, and lets the widget write.
    private func leave() async throws {
        let events = client.events
        // Ends with the run that the widget's commit causes.
        foreignRun = Task {
            for await event in events where event.kind == .runStarted && event.cause == .otherProcess { return }
        }
        await counted.database.suspend()
        try await widget(file)
    }

    private func comeBack(_ model: any OverviewModel) async {
        counted.database.resume()
        model.becomeActive()
        if way.followsDatabase { await foreignRun?.value }
        foreignRun?.cancel()
    }

    /// Waits until the screen shows what the database has.
    private func settle(_ model: any OverviewModel) async {
        await model.written()
        await client.settled()
        // A property of a row begins its first read when the list has arrived.
        _ = model.overview
        await client.settled()
        guard way == .streams else { return }
        // The loops of the model receive the values a moment later.
        while model.overview != streams.latest(on: model.overview.day, in: week) {
            await withCheckedContinuation { change in
                withObservationTracking {
                    _ = model.overview
                } onChange: {
                    change.resume()
                }
            }
        }
    }
}
