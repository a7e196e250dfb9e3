import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Several clients with one journal and one server, such as an app and its widget.
struct SharedJournalTests {
    private let journal = MemoryMutationJournal()
    private let accounts = Accounts()
    private let ordered = Change(scope: "s")

    private func client(
        isOnline: Bool = true,
        clock: ManualClock = ManualClock(),
        activity: (any ActivityObserver)? = nil
    ) -> MutationBench {
        MutationBench(journal: journal, isOnline: isOnline, accounts: accounts, clock: clock, activity: activity)
    }

    private func written() async throws -> [Int] {
        try await journal.entries().map { try JSONDecoder().decode(Change.Step.self, from: $0.arguments).amount }
    }

    private var amounts: [Int] { accounts.calls.map(\.amount) }

    /// Submits a call and waits until it is journaled.
    @discardableResult
    private func submit(_ amount: Int, on bench: MutationBench, _ request: Change? = nil) async throws -> MutationCall<Change.Step, Int> {
        let call = try bench.client.submit(request ?? ordered, with: Change.Step(amount))
        await bench.client.settled()
        return call
    }

    @Test func `R24 a call waits for earlier calls of its scope that another client holds`() async throws {
        let (app, widget) = (client(isOnline: false), client())
        try await submit(1, on: app)
        try await submit(2, on: app)
        let call = try await submit(3, on: widget)
        // A call of another scope doesn't wait.
        try await submit(10, on: widget, Change(scope: "t"))
        #expect(amounts == [10])
        #expect(call.run?.isPending == true)
        widget.clock.advance(by: JournalLeases.pause)
        await widget.client.settled()
        #expect(amounts == [10])
        app.network.set(isOnline: true)
        await app.client.settled()
        widget.clock.advance(by: JournalLeases.pause)
        await widget.client.settled()
        #expect(amounts == [10, 1, 2, 3])
        #expect(try await call.value == 16)
        #expect(try await written().isEmpty)
    }

    @Test func `R24 a resumption skips calls that another client holds`() async throws {
        let (app, widget) = (client(isOnline: false), client())
        for (amount, request) in [(1, ordered), (2, Change())] { try await submit(amount, on: app, request) }
        #expect(try await widget.client.resumeMutations(of: [Change.self]).resumed.isEmpty)
        await widget.client.settled()
        #expect(amounts.isEmpty)
        app.network.set(isOnline: true)
        await app.client.settled()
        #expect(amounts.sorted() == [1, 2])
        #expect(try await written().isEmpty)
    }

    @Test func `R24 calls of a suspended client are made by another client in the order of the scope`() async throws {
        let (app, widget) = (client(isOnline: false), client())
        _ = try await widget.client.resumeMutations(of: [Change.self])
        let lost = try await [submit(1, on: app), submit(2, on: app, Change())]
        try await submit(3, on: widget)
        try await submit(4, on: app)
        try await submit(5, on: widget)
        #expect(amounts.isEmpty)
        // The app's clock is not advanced, as if the app were suspended.
        widget.clock.advance(by: JournalLeases.span)
        await widget.client.settled()
        // A call that was refused its turn tries again after the pause.
        widget.clock.advance(by: JournalLeases.pause)
        await widget.client.settled()
        #expect(amounts.filter { $0 != 2 } == [1, 3, 4, 5])
        #expect(amounts.contains(2))
        // The app wakes up and finds its calls already made.
        app.network.set(isOnline: true)
        await app.client.settled()
        #expect(amounts.count == 5)
        for call in lost { await #expect(throws: CancellationError.self) { try await call.value } }
        #expect(try await written().isEmpty)
    }

    @Test func `R24 a client looks again for another client's calls when their leases end`() async throws {
        let (app, widget) = (client(isOnline: false), client())
        try await submit(1, on: app)
        try await submit(2, on: app)
        _ = try await widget.client.resumeMutations(of: [Change.self])
        widget.clock.advance(by: JournalLeases.span)
        await widget.client.settled()
        #expect(amounts.isEmpty)
        widget.clock.advance(by: .seconds(1))
        await widget.client.settled()
        #expect(amounts == [1, 2])
    }

    @Test func `R24 a client extends the leases of its calls while it runs`() async throws {
        let clock = ManualClock()
        let (app, widget) = (client(isOnline: false, clock: clock), client(clock: clock))
        try await submit(1, on: app)
        try await submit(2, on: app)
        _ = try await widget.client.resumeMutations(of: [Change.self])
        for _ in 1...20 {
            clock.advance(by: JournalLeases.span / 2)
            await app.client.settled()
            await widget.client.settled()
        }
        #expect(amounts.isEmpty)
        app.client.cancelMutations()
        await app.client.settled()
        #expect(try await written().isEmpty)
    }

    @Test func `R24 clients with interleaved calls don't deadlock`() async throws {
        let (app, widget) = (client(isOnline: false), client())
        do {
            let first = client(isOnline: false)
            try await submit(1, on: first)
            try await submit(2, on: app)
            do {
                let third = client(isOnline: false)
                try await submit(3, on: third)
            }
            // The widget claims the last call before the first one.
            #expect(try await widget.client.resumeMutations(of: [Change.self]).resumed.count == 1)
            await widget.client.settled()
        }
        #expect(try await widget.client.resumeMutations(of: [Change.self]).resumed.count == 1)
        await widget.client.settled()
        app.network.set(isOnline: true)
        for _ in 1...4 {
            for bench in [app, widget] {
                bench.clock.advance(by: JournalLeases.pause)
                await bench.client.settled()
            }
        }
        #expect(amounts == [1, 2, 3])
        #expect(try await written().isEmpty)
    }

    @Test func `R24 a deallocated client holds no calls`() async throws {
        let widget = client()
        do {
            let app = client(isOnline: false)
            try await submit(1, on: app)
        }
        #expect(try await widget.client.resumeMutations(of: [Change.self]).resumed.count == 1)
        await widget.client.settled()
        #expect(amounts == [1])
    }

    @Test func `R24 calls left in the journal can be claimed by another client at once`() async throws {
        let (app, widget) = (client(isOnline: false), client())
        try await submit(1, on: app)
        try await submit(2, on: app, Change())
        app.client.clear()
        await app.client.settled()
        #expect(try await written() == [1, 2])
        #expect(try await widget.client.resumeMutations(of: [Change.self]).resumed.count == 2)
        await widget.client.settled()
        #expect(amounts.sorted() == [1, 2])
        // The app may resume too, but finds nothing.
        app.network.set(isOnline: true)
        #expect(try await app.client.resumeMutations(of: [Change.self]).resumed.isEmpty)
        await app.client.settled()
        #expect(amounts.count == 2)
    }

    @Test func `R24 calls refused by one client can be claimed by another`() async throws {
        try await journal.append(entry(1))
        let loggedOut = MutationBench(journal: journal, accounts: Accounts(isOpen: false))
        #expect(try await loggedOut.client.resumeMutations(of: [Change.self]).resumed.isEmpty)
        let widget = client()
        #expect(try await widget.client.resumeMutations(of: [Change.self]).resumed.count == 1)
        await widget.client.settled()
        #expect(amounts == [1])
    }

    @Test func `R24 a refused call in the journal does not block later ones`() async throws {
        try await journal.append(entry(1, scope: "s", arguments: #"{"id":1,"amount":"#))
        let widget = client()
        try await submit(2, on: widget)
        #expect(amounts == [2])
    }

    @Test func `R24 a call that waits for another client can be cancelled`() async throws {
        let (app, widget) = (client(isOnline: false), client())
        try await submit(1, on: app)
        let call = try await submit(2, on: widget)
        let caller = Task { try await widget.client.mutate(ordered, with: Change.Step(3)) }
        await widget.wait(for: ordered) { $0.history.count == 2 }
        await widget.client.settled()
        #expect(try await written() == [1, 2, 3])
        call.cancel()
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        await #expect(throws: CancellationError.self) { try await caller.value }
        await widget.client.settled()
        #expect(try await written() == [1])
    }

    @Test func `R24 clearing the journal cancels the calls that wait`() async throws {
        let app = client(isOnline: false)
        app.client.setValue(100, for: Number())
        let calls = try await [submit(1, on: app), submit(2, on: app), submit(3, on: app, Change())]
        #expect(app.client.value(for: Number()) == 106)
        try await journal.clear()
        app.network.set(isOnline: true)
        for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
        await app.client.settled()
        #expect(amounts.isEmpty)
        #expect(app.client.value(for: Number()) == 100)
        #expect(try await written().isEmpty)
    }

    @Test func `R24 a paused call that another client has claimed makes no further attempt`() async throws {
        let app = MutationBench(journal: journal, mode: .offlineFirst, accounts: accounts)
        accounts.behave { [network = app.network] call in
            guard call.number == 1 else { return }
            network.set(isOnline: false)
            throw URLError(.notConnectedToInternet)
        }
        let call = try app.client.submit(ordered, with: Change.Step(1))
        await app.wait(for: ordered) { $0.isPaused }
        await app.client.settled()
        let rule = Gate()
        let widget = client()
        accounts.behave { _ in try await rule.pass() }
        widget.clock.advance(by: JournalLeases.span)
        #expect(try await widget.client.resumeMutations(of: [Change.self]).resumed == [call.id])
        await rule.arrived()
        app.network.set(isOnline: true)
        await #expect(throws: CancellationError.self) { try await call.value }
        rule.open()
        await widget.client.settled()
        #expect(accounts.keys == [call.id, call.id])
        #expect(accounts[1] == 1)
        #expect(try await written().isEmpty)
    }

    @Test func `R24 a client looks for calls again when the app becomes active`() async throws {
        let activity = ManualActivityObserver(isActive: false)
        let app = client(activity: activity)
        _ = try await app.client.resumeMutations(of: [Change.self])
        try await journal.append(entry(1))
        activity.set(isActive: true)
        await app.client.settled()
        #expect(amounts == [1])
    }

    @Test func `R24 a call is made if the journal can't tell whose turn it is, and an event reports the error`() async throws {
        /// Accepts calls, but fails all questions about leases and turns.
        final class Unreadable: SharedMutationJournal {
            func append(_ entry: MutationJournalEntry) async throws {}
            func append(_ entry: MutationJournalEntry, leasedTo lease: MutationLease) async throws {}
            func remove(_ id: UUID) async throws {}
            func entries() async throws -> [MutationJournalEntry] { [] }
            func setAside(_ id: UUID, because reason: String) async throws {}
            func claim(session: String?, for lease: MutationLease, at date: Date) async throws -> MutationClaim { throw TestError() }
            func turn(of id: UUID, for lease: MutationLease, at date: Date) async throws -> MutationTurn { throw TestError("no answer") }
            func extend(_ ids: [UUID], to lease: MutationLease) async throws { throw TestError() }
            func release(_ ids: [UUID], by holder: UUID) async throws { throw TestError() }
        }
        let bench = MutationBench(journal: Unreadable())
        let events = bench.client.events
        #expect(try await bench.client.mutate(ordered, with: Change.Step(5)) == 5)
        let event = await events.first { $0.kind == .storageFailed }
        #expect(event?.error as? TestError == TestError("no answer"))
    }

    private func entry(_ amount: Int, scope: String? = nil, arguments: String? = nil) -> MutationJournalEntry {
        MutationJournalEntry(
            id: UUID(),
            name: Change.journalName,
            version: 1,
            scope: scope,
            date: .now,
            request: Data((scope.map { #"{"scope":"\#($0)"}"# } ?? "{}").utf8),
            arguments: Data((arguments ?? #"{"id":1,"amount":\#(amount)}"#).utf8)
        )
    }
}
