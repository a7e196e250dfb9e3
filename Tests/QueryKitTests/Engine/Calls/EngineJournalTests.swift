import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Durable calls: what the journal has of them, and who makes them again.
@Suite(.timeLimit(.minutes(5))) struct EngineJournalTests {
    private let clock = ManualClock()
    private let journal = MemoryMutationJournal()
    private let made = Recorder<Int>()
    private let gate = Gate()

    /// A client whose calls pass the gate.
    private func held() -> CallBench {
        CallBench(clock: clock, journal: journal) { [gate, made] arguments, _ in
            try await gate.pass()
            made.note(arguments)
            return arguments
        }
    }

    private func free(_ journal: (any MutationJournal)? = nil) -> CallBench {
        CallBench(clock: clock, journal: journal ?? self.journal) { [made] arguments, _ in
            made.note(arguments)
            return arguments
        }
    }

    private var journaled: [Int] {
        get async throws { try await journal.entries().map { try JSONDecoder().decode(Int.self, from: $0.arguments) } }
    }

    private func entry(_ arguments: Int, name: String = KeptMutation.journalName, version: Int = 1, session: String? = nil) throws
        -> MutationJournalEntry
    {
        let request = try JSONEncoder().encode(KeptMutation())
        let data = try JSONEncoder().encode(arguments)
        return MutationJournalEntry(
            id: UUID(),
            name: name,
            version: version,
            session: session,
            scope: "kept",
            date: clock.date,
            request: request,
            arguments: data
        )
    }

    // MARK: Writing

    @Test func `R24 a call is in the journal from before its first attempt until its callers continue`() async throws {
        let bench = held()
        let call = try bench.submit(KeptMutation(), 1)
        await gate.arrived(1)
        #expect(try await journaled == [1])
        gate.open()
        #expect(try await bench.value(call) == 1)
        #expect(try await journaled == [])
    }

    @Test func `R24 calls are written in the order in which they were made, even if the journal is slow`() async throws {
        let slow = SlowJournal()
        let bench = free(slow)
        for number in 1...3 { try bench.submit(KeptMutation(), number) }
        await slow.gate.arrived(1)
        #expect(slow.appended.count == 1 && made.count == 0)
        slow.gate.open()
        await bench.engine.settled()
        #expect(slow.appended.all == [1, 2, 3] && made.all == [1, 2, 3])
    }

    @Test func `R24 a call withdrawn while the journal writes it leaves no entry, and one that is ended does`() async throws {
        for isKept in [false, true] {
            let slow = SlowJournal()
            let bench = free(slow)
            let call = try bench.submit(KeptMutation(), 1)
            await slow.gate.arrived(1)
            if isKept { bench.engine.endCalls(bench.handle(KeptMutation())) } else { bench.engine.cancel(call) }
            slow.gate.open()
            await bench.engine.settled()
            #expect(try await slow.entries().count == (isKept ? 1 : 0))
            bench.engine.withdrawCalls(matching: "kept/**")
            await bench.engine.settled()
            #expect(try await slow.entries().isEmpty)
        }
        #expect(made.count == 0)
    }

    // MARK: The end of a session

    @Test func `R24 calls that wait when a session ends stay in its journal, and are made when it is back`() async throws {
        let bench = held()
        bench.begin("a")
        let calls = try (1...2).map { try bench.submit(KeptMutation(), $0) }
        await gate.arrived(1)
        bench.begin("b")
        for call in calls { await #expect(throws: CancellationError.self) { try await bench.value(call) } }
        gate.open()
        #expect(try await bench.resume().calls.isEmpty)
        await bench.engine.settled()
        #expect(try await journaled == [1, 2] && made.count == 0)
        bench.begin("a")
        #expect(try await bench.resume().calls.count == 2)
        await bench.engine.settled()
        #expect(made.all == [1, 2])
        #expect(try await journaled == [])
    }

    @Test func `R24 R29 a durable call in a batch that meets a log-out is in the journal of its session`() async throws {
        let bench = free()
        bench.begin("a")
        var call: CallEntry?
        try bench.engine.batch {
            call = try bench.submit(KeptMutation(), 1)
            bench.begin("b")
        }
        let made = try #require(call)
        await #expect(throws: CancellationError.self) { try await bench.value(made) }
        await bench.engine.settled()
        #expect(try await journal.entries().map(\.session) == ["a"])
        #expect(self.made.count == 0)
    }

    @Test func `R24 a call of a former session can be withdrawn from the journal`() async throws {
        let bench = held()
        bench.begin("a")
        let call = try bench.submit(KeptMutation(), 1)
        await gate.arrived(1)
        bench.begin("b")
        bench.engine.withdrawCalls(matching: .all)
        await bench.engine.settled()
        #expect(try await journaled == [1])
        bench.engine.cancel(call)
        await bench.engine.settled()
        #expect(try await journaled == [])
    }

    // MARK: Resuming

    @Test func `R24 calls are resumed in order with their ids and dates, and those of unknown mutations stay`() async throws {
        let entries = [try entry(1), try entry(2, name: "Unknown"), try entry(3, version: 2), try entry(4), try entry(5, session: "other")]
        for entry in entries { try await journal.append(entry) }
        clock.advance(by: .seconds(100))
        let bench = held()
        let resumed = try await bench.resume()
        #expect(resumed.calls == [entries[0].id, entries[3].id])
        #expect(resumed.unknown.map(\.name) == ["Unknown"] && resumed.setAside.map(\.entry.id) == [entries[2].id])
        #expect(journal.setAside.map(\.entry.id) == [entries[2].id])
        let again = try await bench.resume()
        #expect(again.calls.isEmpty && again.unknown.isEmpty)
        let history = Typing<MutationState<Int, Int>>.shared.state(bench.engine.state(bench.handle(KeptMutation()))).history
        #expect(history.map(\.id) == resumed.calls && history.map(\.submittedAt) == [entries[0].date, entries[3].date])
        gate.open()
        await bench.engine.settled()
        #expect(made.all == [1, 4])
        #expect(try await journaled == [2, 5])
    }

    /// Takes the network away. The context makes calls that wait for it.
    private func offline(_ bench: CallBench) -> QueryContext {
        bench.engine.enterNow { $0.setOnline(false) }
        var context = QueryContext()
        context.clock = clock
        context.networkMode = .online
        context.mutationJournal = journal
        return context
    }

    @Test func `R24 a resumed call goes before the later calls of its scope`() async throws {
        try await journal.append(try entry(1))
        clock.advance(by: .seconds(1))
        let bench = free()
        var context = offline(bench)
        context[KeptMutation.CodeKey.self] = { [made] arguments, _ in
            made.note(arguments)
            return arguments
        }
        try bench.submit(KeptMutation(), 2) { $0.context = context }
        try bench.submit(KeptMutation(), 3) { $0.context = context }
        #expect(try await bench.resume().calls.count == 1)
        bench.engine.enterNow { $0.setOnline(true) }
        await bench.engine.settled()
        #expect(made.all == [1, 2, 3])
    }

    @Test func `R24 a call made while the journal is read comes after the older calls of its scope`() async throws {
        let slow = SlowJournal()
        slow.gate.open()
        try await slow.append(try entry(1))
        slow.reading.close()
        let bench = free(slow)
        let resumption = Task { try await bench.resume() }
        await slow.reading.arrived(1)
        try bench.submit(KeptMutation(), 2)
        await bench.engine.settled()
        #expect(made.count == 0)
        slow.reading.open()
        _ = try await resumption.value
        await bench.engine.settled()
        #expect(made.all == [1, 2])
    }

    @Test func `R24 a call that ends while the journal is read is not made again`() async throws {
        let slow = SlowJournal()
        slow.gate.open()
        let bench = free(slow)
        slow.reading.close()
        let call = try bench.submit(KeptMutation(scope: nil), 1)
        let resumption = Task { try await bench.resume() }
        await slow.reading.arrived(1)
        #expect(try await bench.value(call) == 1)
        slow.reading.open()
        #expect(try await resumption.value.calls.isEmpty)
        await bench.engine.settled()
        #expect(made.all == [1])
    }

    @Test func `R24 overlapping resumptions make each call once`() async throws {
        for number in 1...20 { try await journal.append(try entry(number)) }
        let bench = free()
        let resumptions = (0..<4).map { _ in Task { try await bench.resume().calls.count } }
        var count = 0
        for resumption in resumptions { count += try await resumption.value }
        await bench.engine.settled()
        #expect(count == 20 && made.all == Array(1...20))
    }

    // MARK: Several clients

    @Test func `R24 a client extends the leases of its calls, and another one makes them when it is gone`() async throws {
        let (first, second) = (held(), free())
        try first.submit(KeptMutation(), 1)
        await gate.arrived(1)
        #expect(try await second.resume().calls.isEmpty)
        for _ in 0..<5 {
            clock.advance(by: .seconds(30))
            while first.engine.enter({ !$0.extendsLeases }) { await Task.yield() }
        }
        #expect(try await second.resume().calls.isEmpty)
        first.engine.close()
        #expect(try await second.resume().calls.count == 1)
        await second.engine.settled()
        #expect(made.all == [1])
    }

    @Test func `R24 a call waits for an earlier one of its scope that another client holds`() async throws {
        let (first, second) = (held(), free())
        try first.submit(KeptMutation(), 1)
        await gate.arrived(1)
        let call = try second.submit(KeptMutation(), 2)
        await second.engine.settled()
        #expect(made.count == 0)
        gate.open()
        await first.engine.settled()
        clock.advance(by: .milliseconds(250))
        #expect(try await second.value(call) == 2)
        #expect(made.all == [1, 2])
    }

    @Test func `R24 a call follows an earlier one that a client which is gone has left`() async throws {
        let second = free()
        _ = try await second.resume()
        try await journal.append(try entry(1))
        let call = try second.submit(KeptMutation(), 2)
        #expect(try await second.value(call) == 2)
        #expect(made.all == [1, 2])
    }

    @Test func `R24 a waiting call that another client has claimed makes no attempt, and ends`() async throws {
        let bench = free()
        let context = offline(bench)
        let call = try bench.submit(KeptMutation(), 1) { $0.context = context }
        await bench.engine.settled()
        let other = LeaseHolder()
        try await journal.release(journal.entries().map(\.id), by: bench.engine.holder.id)
        _ = try await journal.claim(session: nil, for: other.lease(at: clock.date), at: clock.date)
        bench.engine.enterNow { $0.setOnline(true) }
        await #expect(throws: CancellationError.self) { try await bench.value(call) }
        await bench.engine.settled()
        #expect(try await journaled == [1])
        #expect(made.count == 0)
    }
}

/// A journal that is slow to write and to read.
private final class SlowJournal: MutationJournal {
    let gate = Gate()
    let reading = Gate()
    let appended = Recorder<Int>()
    private let memory = MemoryMutationJournal()

    init() { reading.open() }

    func append(_ entry: MutationJournalEntry) async throws {
        appended.note(try JSONDecoder().decode(Int.self, from: entry.arguments))
        try await gate.pass()
        try await memory.append(entry)
    }

    func remove(_ id: UUID) async throws { try await memory.remove(id) }

    func entries() async throws -> [MutationJournalEntry] {
        let entries = try await memory.entries()
        try await reading.pass()
        return entries
    }

    func setAside(_ id: UUID, because reason: String) async throws { try await memory.setAside(id, because: reason) }
}
