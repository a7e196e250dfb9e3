import Foundation
import QueryKit

/// Records clients while at least one page is open, and sends each page what has changed.
actor Recorder {
    /// How a session is shown to its pages.
    struct Settings: Sendable {
        var name: String
        var allowsActions: Bool
        var showsValues: Bool
    }

    nonisolated let settings: Settings
    private let executor = QueueExecutor()
    private let numbers = MessageNumbers()
    private let session = AccessRule.newToken()
    private let started = Date()
    private let startedAt = ContinuousClock.now
    private var probes: [ClientProbe] = []
    private var pages: [ObjectIdentifier: PageFeed] = [:]
    private var journals: [Int: JournalState] = [:]
    /// Records while pages are open. Owned by the recorder, which cancels it when the last page is closed.
    private var recording: Task<Void, Never>?
    /// How often recording has begun. With this number, a page notices that the recording was interrupted.
    private var beginnings = 0
    private var ticks = 0
    private var nextLook = ContinuousClock.now
    private var isStopped = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ settings: Settings) { self.settings = settings }

    deinit { recording?.cancel() }

    // MARK: Clients

    /// Adds a client, which is not kept alive.
    func add(_ client: QueryClient, name: String) {
        let probe = ClientProbe(client, id: probes.count, name: name, showsValues: settings.showsValues)
        probes.append(probe)
        guard !pages.isEmpty else { return }
        probe.attach()
        for page in pages.values { page.send("hello", hello) }
    }

    /// Calls a closure with the recording of a client; `nil` if there is no client with this id.
    func with<Result: Sendable>(_ client: Int, _ body: (ClientProbe) -> Result) -> Result? {
        probes.indices.contains(client) ? body(probes[client]) : nil
    }

    var hello: [JSON.Member] {
        let process = ProcessInfo.processInfo
        return [
            .init(name: "version", value: 1),
            .init(name: "name", value: .text(settings.name)),
            .init(name: "process", value: ["name": .text(process.processName), "pid": .integer(Int(process.processIdentifier))]),
            .init(name: "started", value: .text(JSON.iso(started))),
            .init(name: "now", value: .milliseconds(startedAt.duration(to: .now))),
            .init(name: "allowsActions", value: .flag(settings.allowsActions)),
            .init(name: "showsValues", value: .flag(settings.showsValues)),
            .init(name: "session", value: .text(session)),
            .init(name: "recording", value: .integer(beginnings)),
            .init(name: "clients", value: .list(probes.map(\.summary))),
        ]
    }

    // MARK: Pages

    /// The number of open pages.
    var pageCount: Int { pages.count }

    /// Begins to send a page what happens.
    func open(_ stream: EventStream) {
        let page = PageFeed(stream, numbers)
        guard !isStopped else { return stream.finish() }
        pages[ObjectIdentifier(stream)] = page
        // The task needs no owner: it does one thing, and then ends.
        stream.onClose { [weak self] in Task { await self?.close(stream) } }
        let isFirst = recording == nil
        if isFirst { beginnings += 1 }
        page.send("hello", hello)
        if isFirst {
            for probe in probes { probe.attach() }
            (ticks, nextLook) = (0, .now)
            recording = Task { [weak self] in
                while !Task.isCancelled, let pause = await self?.step() { try? await Task.sleep(for: pause) }
            }
        } else {
            page.catchUp(probes)
        }
    }

    private func close(_ stream: EventStream) {
        pages[ObjectIdentifier(stream)] = nil
        guard pages.isEmpty else { return }
        recording?.cancel()
        recording = nil
        for probe in probes { probe.detach() }
    }

    /// Notifies all pages that the session is over, ends their streams, and ends what they have simulated.
    func stop(_ reason: String) {
        isStopped = true
        recording?.cancel()
        for page in pages.values {
            page.send("bye", [.init(name: "reason", value: .text(reason))])
            page.stream.finish()
        }
        // No message follows this last one, not even from a call of `look()` that is still running.
        pages = [:]
        for probe in probes { probe.stop() }
    }

    // MARK: Export

    /// The limit for complete descriptions in a file: the number of stores, of all clients together, and the number of bytes.
    private static let detailLimit = (stores: 200, bytes: 16 << 20)

    /// The whole session as one file, which a page can open without the app.
    func export() async -> JSON {
        if recording == nil {
            // No page is open, so the clients are not being recorded: read them once.
            await readJournals()
            for probe in probes {
                _ = probe.poll(isForced: true)
                probe.sampleMetrics()
                probe.sampleMutations(showsValues: settings.showsValues, journal: journals[probe.id] ?? JournalState())
                probe.sampleSurroundings(showsValues: settings.showsValues)
            }
        }
        func perClient(_ value: (ClientProbe) -> JSON) -> JSON {
            .object(probes.map { JSON.Member(name: "\($0.id)", value: value($0)) })
        }
        let session: [JSON.Member] = [
            .init(name: "format", value: "querykit-session"),
            .init(name: "version", value: 1),
            .init(name: "hello", value: .object(hello)),
            .init(name: "stores", value: perClient { probe in .list(probe.rows.values.sorted { $0.id < $1.id }.map(probe.json)) }),
            .init(name: "events", value: perClient { probe in .list(probe.log.entries(from: 0, limit: .max).map(\.json)) }),
            .init(name: "metrics", value: perClient { probe in .list(probe.metrics.all.map { .object($0) }) }),
            .init(name: "mutations", value: perClient { probe in .object(probe.mutations.last ?? []) }),
            .init(name: "surroundings", value: perClient { probe in .object(probe.surroundings.last ?? []) }),
        ]
        // This call suspends. So everything else is collected before it, all at the same moment.
        return .object(session + [.init(name: "details", value: .object(await exportedDetails()))])
    }

    /// Everything about the most important stores of each client. Between two stores, the recorder can do other work.
    private func exportedDetails() async -> [JSON.Member] {
        var members: [JSON.Member] = []
        var (stores, bytes) = (Self.detailLimit.stores, Self.detailLimit.bytes)
        for probe in probes {
            var details: [JSON.Member] = []
            for id in probe.exportedStores(limit: stores) where bytes > 0 {
                await Task.yield()
                guard let written = probe.exportedDetails(of: id, showsValues: settings.showsValues)?.bytes else { continue }
                details.append(.init(name: "\(id)", value: .written(written)))
                bytes -= written.count
            }
            stores -= details.count
            members.append(.init(name: "\(probe.id)", value: .object(details)))
        }
        return members
    }

    // MARK: Recording

    /// Looks at the clients if it is time to, and sends each page what it needs. Returns how long to wait before the next step.
    private func step() async -> Duration {
        let start = ContinuousClock.now
        if start >= nextLook {
            await look()
            let end = ContinuousClock.now
            // Looking takes at most a twentieth of the time, so that it hardly slows down a busy app.
            nextLook = max(start.advanced(by: .milliseconds(100)), end.advanced(by: start.duration(to: end) * 19))
        }
        for page in pages.values { page.catchUp(probes) }
        // A page that reads a long list should not have to wait for the next look.
        let now = ContinuousClock.now
        return max(.milliseconds(10), pages.values.contains(where: \.isIncomplete) ? .zero : now.duration(to: nextLook))
    }

    private func look() async {
        guard !pages.isEmpty else { return }
        defer { ticks += 1 }
        if ticks % 5 == 0 { await readJournals() }
        for probe in probes {
            let difference = probe.poll()
            if ticks % 10 == 0 { probe.sampleMetrics() }
            if ticks % 5 == 0 { probe.sampleMutations(showsValues: settings.showsValues, journal: journals[probe.id] ?? JournalState()) }
            if ticks % 10 == 5 || probe.surroundings.count == 0 { probe.sampleSurroundings(showsValues: settings.showsValues) }
            for page in pages.values { page.note(difference, of: probe) }
        }
        // These comments let a page notice the end of the process even if there is nothing else to send.
        if ticks % 50 == 0 { for page in pages.values { page.stream.sendComment() } }
    }

    private func readJournals() async {
        for probe in probes {
            journals[probe.id] = await JournalState.read(probe.inspection)
        }
    }
}
