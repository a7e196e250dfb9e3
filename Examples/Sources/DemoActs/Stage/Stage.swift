package import Foundation
package import QueryKit
import QueryKitSQLite
import Terminal

/// Where an act happens: a client, a fake web API, files, and a clock that advances only while the act lets time pass.
@MainActor
package final class Stage {
    /// Waits for a duration of real time. A text that is not a live screen does not wait.
    package typealias Pace = @MainActor (Duration) async throws -> Void

    package let clock: ManualClock
    package let network: ManualNetworkObserver
    package let api: WebAPI
    package private(set) var picture = StagePicture()

    /// The client of the app that is running; see ``launch()``.
    private(set) var client: QueryClient

    private let executable: URL
    private let pace: Pace
    private let onChange: @MainActor (StagePicture) -> Void
    private let onLaunch: @MainActor (QueryClient) async -> Void
    private var screens: [ShownScreen] = []
    private var ownCounts: [StagePicture.Count] = []
    private var runsOfFormerClients = 0
    private var folder: URL?
    private var databases: [SQLiteDatabase] = []
    private var files: AppFiles?

    /// What an app keeps on disk between two launches.
    private struct AppFiles {
        let journal: SQLiteMutationJournal
        let cache: SQLiteQueryCache

        func close() async {
            await journal.close()
            await cache.close()
        }
    }

    /// How much real time passes between two pictures.
    private static let step = Duration.milliseconds(50)

    /// - Parameters:
    ///   - executable: The program to start as another process.
    ///   - app: The app at the beginning.
    ///   - onChange: Receives each new picture.
    ///   - onLaunch: Receives each further client of the app.
    package init(
        executable: URL,
        app: StageApp = StageApp(),
        pace: @escaping Pace = { _ in },
        onChange: @escaping @MainActor (StagePicture) -> Void = { _ in },
        onLaunch: @escaping @MainActor (QueryClient) async -> Void = { _ in }
    ) {
        self.executable = executable
        self.pace = pace
        self.onChange = onChange
        self.onLaunch = onLaunch
        (clock, network, api, client) = (app.clock, app.network, app.api, app.client)
    }

    /// Closes the screens and files, and removes the folder.
    package func close() async {
        for screen in screens { screen.close() }
        for database in databases { await database.close() }
        await files?.close()
        if let folder { try? FileManager.default.removeItem(at: folder) }
    }

    // MARK: Time

    /// Lets time pass for the app.
    ///
    /// - Parameter real: How long that takes for the audience. Default: as long as for the app.
    func passes(_ duration: Duration, in real: Duration? = nil, line: Int = #line) async throws {
        picture.line = line
        try await settle()
        let start = clock.now
        // In whole milliseconds, because a deadline must not be missed by a rounding error.
        let total = Int((duration / .milliseconds(1)).rounded())
        let count = max(Int(((real ?? duration) / Self.step).rounded()), 1)
        for step in 1...count {
            try await pace(Self.step)
            let next = start.advanced(by: .milliseconds(total * step / count))
            clock.advance(by: clock.now.duration(to: next))
            try await settle()
        }
    }

    /// Makes a call of the app, and lets time pass while the server works on its requests.
    func passes(line: Int = #line, during call: @escaping @MainActor () async throws -> Void) async throws {
        let (requests, signal) = AsyncStream.makeStream(of: Void.self)
        api.onRequest = { signal.yield() }
        defer { api.onRequest = {} }
        let task = Task {
            defer { signal.finish() }
            try await call()
        }
        // Cancelled with the act.
        try await withTaskCancellationHandler {
            for await _ in requests {
                while api.pendingCount > 0 { try await passes(Self.step, line: line) }
            }
            try await task.value
        } onCancel: {
            task.cancel()
        }
        try await settle()
    }

    /// Waits for everything that can happen without time passing, and then publishes the picture.
    private func settle() async throws {
        await finishTurn()
        await client.settled()
        await finishTurn()
        try Task.checkCancellation()
        publish()
    }

    /// Waits until the main actor has done what was submitted to it before.
    private func finishTurn() async {
        await withCheckedContinuation { continuation in Task { continuation.resume() } }
    }

    // MARK: What can be seen

    /// Opens a screen that shows a request.
    @discardableResult
    func show<State: QueryStateProtocol>(_ name: String, _ store: QueryStore<State>, line: Int = #line) -> ShownScreen
    where State.QueryValue: ScreenText {
        show(name, store, line: line) { StageContent($0) }
    }

    @discardableResult
    func show<State: QueryStateProtocol>(
        _ name: String,
        _ store: QueryStore<State>,
        line: Int = #line,
        as describe: @escaping (State) -> StageContent
    ) -> ShownScreen {
        picture.line = line
        let screen = ShownScreen(name, store, as: describe)
        screens.append(screen)
        return screen
    }

    /// Writes what the act does into the log.
    func note(_ text: String) {
        collect()
        picture.entries.append(StagePicture.Entry(time: time, screen: nil, content: StageContent(text)))
    }

    /// Shows a number that the act has counted.
    func count(_ name: String, _ value: Int) {
        ownCounts.removeAll { $0.name == name }
        ownCounts.append(StagePicture.Count(name: name, value: value))
    }

    /// Ends the act with a sentence that sums up what it has shown.
    func conclude(_ sentence: String) {
        picture.outcome = sentence
        publish()
    }

    var runCount: Int { runsOfFormerClients + client.metrics.total.runs }

    private var time: Duration { QueryInstant.zero.duration(to: clock.now) }

    private func publish() {
        collect()
        picture.counts = ownCounts
        if api.requestCount > 0 { picture.counts.append(.init(name: "requests", value: api.requestCount)) }
        picture.counts.append(.init(name: "runs", value: runCount))
        onChange(picture)
    }

    /// Writes what the screens have shown since the last picture into the log.
    private func collect() {
        for screen in screens {
            for content in screen.newContents() {
                picture.entries.append(StagePicture.Entry(time: time, screen: screen.name, content: content))
            }
        }
        screens.removeAll { !$0.isOpen }
        picture.screens = screens.map { StagePicture.Screen(name: $0.name, content: $0.content) }
    }

    // MARK: Files and processes

    /// A file in a temporary folder that only this stage uses.
    func file(_ name: String) throws -> URL {
        let folder = folder ?? FileManager.default.temporaryDirectory.appending(path: "querykit-demo-\(UUID().uuidString)")
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return folder.appending(path: name)
    }

    /// Opens a packing list, connects the client to its database, and starts the app with it.
    func openPackingList(_ file: URL) async throws -> PackingList {
        let packing = try await PackingList.open(file)
        databases.append(packing.database)
        var context = client.context
        context.packing = packing
        client = QueryClient(context: context, configuration: .isolated)
        client.connect(to: packing.database)
        await onLaunch(client)
        return packing
    }

    /// Ends the app, and starts it again: a new client with the journal and the cache that the files contain.
    func launch() async throws -> (client: QueryClient, cache: SQLiteQueryCache) {
        for screen in screens { screen.close() }
        collect()
        runsOfFormerClients = runCount
        await files?.close()
        let opened = AppFiles(
            journal: try await .open(.file(try file("calls.sqlite"))),
            cache: try await .open(.file(try file("queries.sqlite")), clock: clock)
        )
        files = opened
        var context = client.context
        context.mutationJournal = opened.journal
        client = QueryClient(context: context, configuration: .isolated)
        await onLaunch(client)
        return (client, opened.cache)
    }

    /// Starts this program again, as a process that shares only a file with this one, and waits until it ends.
    func runProcess(_ words: String..., line: Int = #line) async throws {
        picture.line = line
        let outcome = try await OtherProcess.run(executable, words)
        try Task.checkCancellation()
        guard outcome.status == 0 else { throw StageError(outcome, words) }
    }
}

/// The other process failed.
package struct StageError: Error, CustomStringConvertible {
    package let description: String

    init(_ outcome: OtherProcess.Outcome, _ words: [String]) {
        description = "The other process (querykit-demo \(words.joined(separator: " "))) ended with \(outcome.status): \(outcome.text)"
    }
}
