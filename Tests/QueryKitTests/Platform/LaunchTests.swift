import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// The first reports of the observers of the system (R40).
struct LaunchTests {
    /// An observer of the system whose reports the test sends.
    private struct ReportingObserver {
        let observer: SystemObserver<Bool>
        private let begun = Lock<SystemObserver<Bool>.Reports?>(nil)

        init(initially state: Bool = true) {
            let begin = { @Sendable [begun] (reports: SystemObserver<Bool>.Reports) in
                begun.withLock { $0 = reports }
                return QuerySubscription {}
            }
            observer = SystemObserver(initially: { state }, begin: begin)
        }

        var reports: SystemObserver<Bool>.Reports? { begun.withLock { $0 } }
    }

    private let activity = ReportingObserver()
    private let clock = ManualClock()
    private let backend = Backend()

    /// A client with the default triggers.
    private func client(_ network: ReportingObserver = ReportingObserver()) -> QueryClient {
        var context = QueryContext()
        context.clock = clock
        context.backend = backend
        context.activityObserver = activity.observer
        context.networkObserver = network.observer
        context.networkMode = .online
        var configuration = QueryClient.Configuration.isolated
        configuration.refetchesWhenActive = true
        configuration.refetchesOnReconnect = true
        return QueryClient(context: context, configuration: configuration)
    }

    /// How often the observed query has run, once all that was caused has happened.
    private func runs(of client: QueryClient) async -> Int {
        await client.settled()
        clock.advance(by: .seconds(1))
        await client.settled()
        return backend.count
    }

    @Test func `R40 the first reports of activity and network run no query again`() async {
        let network = ReportingObserver()
        let client = client(network)
        let subscription = client.store(for: Number()).record(Recorder())
        #expect(await runs(of: client) == 1)
        activity.reports?.set(true)
        network.reports?.set(true)
        #expect(await runs(of: client) == 1)
        for (number, observer) in [activity, network].enumerated() {
            observer.reports?.set(false)
            observer.reports?.set(true)
            #expect(await runs(of: client) == number + 2)
        }
        subscription.cancel()
    }

    @Test func `R40 R12 a first report that there is a network releases what has paused before it, and runs it once`() async throws {
        let network = ReportingObserver(initially: false)
        let client = client(network)
        let store = client.store(for: Number())
        let subscription = store.record(Recorder())
        let change = InlineMutation("add") { (_: Int, _: QueryContext) in 5 }
        let call = try client.submit(change, with: 1)
        #expect(await runs(of: client) == 0)
        #expect(store.isPaused)
        network.reports?.set(true)
        #expect(try await call.value == 5)
        #expect(await runs(of: client) == 1)
        subscription.cancel()
    }

    @Test func `R40 R12 a run that has failed without a network is repeated once by a first report that there is one`() async {
        let network = ReportingObserver(initially: false)
        backend.behave { call in
            if !network.observer.isOnline { throw QueryError(.networkUnavailable) }
            return call.number
        }
        let client = client(network)
        let store = client.store(for: Number().networkMode(.offlineFirst))
        let subscription = store.record(Recorder())
        #expect(await runs(of: client) == 1)
        #expect(store.isPaused)
        network.reports?.set(true)
        #expect(await runs(of: client) == 2)
        #expect(store.value == 2)
        subscription.cancel()
    }

    // MARK: Activity on Apple platforms

    /// What happens to an app before the user opens it, and whether it then refetches.
    private static let launches: [(String, @Sendable (ActivityReports) -> Void, opened: Duration, refetches: Bool)] = [
        ("in the foreground", { _ in }, .seconds(1), false),
        ("slowly, in the foreground", { $0.look(at: .inactive) }, .seconds(15), false),
        ("in the foreground, with a blocked main thread", { $0.look(at: .background) }, .seconds(6), false),
        ("where no state can be read", { $0.look(at: nil) }, .seconds(3), false),
        ("active before the client exists, and covered later", { $0.look(at: .active) }, .seconds(600), false),
        ("in the background", { for _ in 1...2 { $0.look(at: .background) } }, .seconds(5), true),
        ("in the background, and suspended at once", { _ in }, .seconds(600), true),
        ("suspended, and looked at while it comes forward", { $0.look(at: .inactive) }, .seconds(600), true),
        ("and left", { $0.report(isActive: false, after: .seconds(1)) }, .seconds(3), true),
    ]

    @Test(arguments: launches.indices)
    func `R40 only an app that was launched in the background, or has left, refetches when it becomes active`(_ row: Int) async throws {
        let (name, launch, opened, refetches) = Self.launches[row]
        let client = client()
        let subscription = client.store(for: Number()).record(Recorder())
        #expect(await runs(of: client) == 1)
        let reports = ActivityReports(try #require(activity.reports))
        launch(reports)
        #expect(await runs(of: client) == 1)
        reports.report(isActive: true, after: opened)
        #expect(await runs(of: client) == (refetches ? 2 : 1), "launched \(name)")
        // A late look doesn't undo the report.
        for _ in 1...2 { reports.look(at: .background) }
        #expect(activity.observer.isActive)
        subscription.cancel()
    }
}
