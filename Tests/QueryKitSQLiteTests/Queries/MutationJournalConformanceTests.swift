import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// The journals that must behave alike.
enum JournalKind: CaseIterable, Sendable {
    case memory, file

    func make() async throws -> any InspectableJournal {
        switch self {
        case .memory: MemoryMutationJournal()
        case .file: try await SQLiteMutationJournal.open(.temporary)
        }
    }

    static func entry(_ name: String, session: String? = nil, scope: String? = nil) -> MutationJournalEntry {
        MutationJournalEntry(
            id: UUID(),
            name: name,
            version: 3,
            session: session,
            scope: scope,
            date: Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_7),
            request: Data("{}".utf8),
            arguments: Data([0, 255])
        )
    }
}

/// A journal whose set-aside calls can be inspected.
protocol InspectableJournal: SharedMutationJournal {
    func setAsideCalls() async throws -> [SQLiteMutationJournal.SetAside]
}

extension MemoryMutationJournal: InspectableJournal {
    func setAsideCalls() async throws -> [SQLiteMutationJournal.SetAside] {
        setAside.map { SQLiteMutationJournal.SetAside(entry: $0.entry, reason: $0.reason) }
    }
}

extension SQLiteMutationJournal: InspectableJournal {
    func setAsideCalls() async throws -> [SetAside] { try await setAside }
}

struct MutationJournalConformanceTests {
    @Test(arguments: JournalKind.allCases)
    func `R24 calls are returned unchanged, in the order in which they were written`(_ kind: JournalKind) async throws {
        let journal = try await kind.make()
        let entries = [
            JournalKind.entry("b"), JournalKind.entry("a", session: "me"), JournalKind.entry("", session: "", scope: ""),
            JournalKind.entry("é\0", scope: "\0"),
        ]
        for entry in entries { try await journal.append(entry) }
        #expect(try await journal.entries() == entries)
    }

    @Test(arguments: JournalKind.allCases)
    func `R24 a removed call is gone, and calls written later stay at the end`(_ kind: JournalKind) async throws {
        let journal = try await kind.make()
        let entries = (0..<5).map { JournalKind.entry("\($0)") }
        for entry in entries[..<3] { try await journal.append(entry) }
        try await journal.remove(entries[2].id)
        try await journal.remove(entries[0].id)
        try await journal.remove(UUID())
        for entry in entries[3...] { try await journal.append(entry) }
        #expect(try await journal.entries() == [entries[1], entries[3], entries[4]])
    }

    @Test(arguments: JournalKind.allCases)
    func `R24 a call that is set aside is no longer an entry, and is never lost`(_ kind: JournalKind) async throws {
        let journal = try await kind.make()
        let entries = (0..<4).map { JournalKind.entry("\($0)", scope: $0 == 2 ? "s" : nil) }
        for entry in entries { try await journal.append(entry) }
        try await journal.setAside(entries[2].id, because: "no mutation is called 2")
        try await journal.setAside(entries[0].id, because: "")
        try await journal.setAside(UUID(), because: "it is not there")
        // It is affected neither by removing it nor by setting it aside again.
        try await journal.remove(entries[2].id)
        try await journal.setAside(entries[2].id, because: "another reason")
        #expect(try await journal.entries() == [entries[1], entries[3]])
        #expect(
            try await journal.setAsideCalls() == [
                .init(entry: entries[2], reason: "no mutation is called 2"), .init(entry: entries[0], reason: ""),
            ]
        )
    }

    @Test(arguments: JournalKind.allCases)
    func `R24 concurrent writers lose no call`(_ kind: JournalKind) async throws {
        let journal = try await kind.make()
        let entries = (0..<50).map { JournalKind.entry("\($0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for entry in entries { group.addTask { try await journal.append(entry) } }
            try await group.waitForAll()
        }
        #expect(Set(try await journal.entries()) == Set(entries))
    }

    @Test(arguments: JournalKind.allCases)
    func `R24 a journal that is cleared keeps the calls set aside`(_ kind: JournalKind) async throws {
        let journal = try await kind.make()
        let entries = (0..<3).map { JournalKind.entry("\($0)") }
        for entry in entries { try await journal.append(entry) }
        try await journal.setAside(entries[1].id, because: "unknown")
        try await journal.clear()
        #expect(try await journal.entries().isEmpty)
        #expect(try await journal.setAsideCalls().map(\.entry) == [entries[1]])
    }

    // MARK: Leases

    private let now = Date(timeIntervalSinceReferenceDate: 700_000_000.5)
    /// Two clients of a process unknown on this machine: their leases end by the clock only.
    private let holders = [UUID(), UUID()]

    private func lease(_ client: Int, until seconds: TimeInterval = 60) -> MutationLease {
        MutationLease(holder: holders[client], process: "1@elsewhere", until: now + seconds)
    }

    @Test(arguments: JournalKind.allCases)
    func `R24 a claim takes calls that no other client holds, of its own session only`(_ kind: JournalKind) async throws {
        let journal = try await kind.make()
        let entries = [nil, nil, "me", nil].enumerated().map { JournalKind.entry("\($0)", session: $1) }
        try await journal.append(entries[0])
        for entry in entries[1...2] { try await journal.append(entry, leasedTo: lease(0)) }
        try await journal.append(entries[3], leasedTo: lease(0, until: -1))
        let claim = try await journal.claim(session: nil, for: lease(1), at: now)
        #expect(claim == MutationClaim(entries: [entries[0], entries[3]], othersUntil: now + 60))
        // A call claimed by one client is not available to the other.
        #expect(
            try await journal.claim(session: nil, for: lease(0), at: now) == MutationClaim(entries: [entries[1]], othersUntil: now + 60)
        )
        #expect(try await journal.claim(session: "me", for: lease(1), at: now) == MutationClaim(entries: [], othersUntil: now + 60))
        #expect(try await journal.claim(session: "you", for: lease(1), at: now) == MutationClaim(entries: [], othersUntil: nil))
        let later = try await journal.claim(session: nil, for: lease(1, until: 120), at: now + 60)
        #expect(later == MutationClaim(entries: [entries[0], entries[1], entries[3]], othersUntil: nil))
    }

    @Test(arguments: JournalKind.allCases)
    func `R24 a call has its turn if it exists and no earlier call of its scope is held by another client`(_ kind: JournalKind) async throws
    {
        let journal = try await kind.make()
        let entries = [
            JournalKind.entry("0", scope: "s"), JournalKind.entry("1", session: "me", scope: "s"), JournalKind.entry("2"),
            JournalKind.entry("3", scope: "s"), JournalKind.entry("4", scope: "s"), JournalKind.entry("5"),
        ]
        for entry in entries { try await journal.append(entry, leasedTo: lease(entry == entries[4] ? 1 : 0)) }
        func turn(_ index: Int, _ client: Int, at seconds: TimeInterval = 0) async throws -> MutationTurn {
            try await journal.turn(of: entries[index].id, for: lease(client, until: seconds + 60), at: now + seconds)
        }
        #expect(try await turn(0, 0) == .now)
        #expect(try await turn(1, 0) == .now)
        #expect(try await turn(2, 0) == .now)
        #expect(try await turn(3, 0) == .after([entries[0].id]))
        #expect(try await turn(4, 1) == .blocked(after: []))
        #expect(try await turn(5, 1) == .lost)
        #expect(try await journal.turn(of: UUID(), for: lease(0), at: now) == .lost)
        // The turn extends the client's own lease, even an expired one,
        try await journal.append(JournalKind.entry("6"), leasedTo: lease(0))
        let last = try #require(try await journal.entries().last)
        #expect(try await journal.turn(of: last.id, for: lease(0, until: 121), at: now + 61) == .now)
        #expect(try await journal.turn(of: last.id, for: lease(1, until: 122), at: now + 62) == .lost)
        // but not another client's.
        #expect(try await turn(5, 1, at: 60) == .now)
        #expect(try await turn(5, 0, at: 61) == .lost)
        #expect(try await turn(4, 1, at: 60) == .after([entries[0].id, entries[3].id]))
        try await journal.remove(entries[0].id)
        try await journal.remove(entries[3].id)
        #expect(try await turn(4, 1, at: 60) == .now)
    }

    @Test(arguments: JournalKind.allCases)
    func `R24 only the client that holds a call can extend or release its lease`(_ kind: JournalKind) async throws {
        let journal = try await kind.make()
        let entries = (0..<2).map { JournalKind.entry("\($0)") }
        for entry in entries { try await journal.append(entry, leasedTo: lease(0)) }
        let ids = entries.map(\.id)
        try await journal.extend(ids, to: lease(1, until: 500))
        try await journal.release(ids, by: holders[1])
        #expect(try await journal.claim(session: nil, for: lease(1), at: now) == MutationClaim(entries: [], othersUntil: now + 60))
        try await journal.extend([ids[0], UUID()], to: lease(0, until: 500))
        #expect(try await journal.claim(session: nil, for: lease(1), at: now + 59).othersUntil == now + 60)
        try await journal.release([ids[0]], by: holders[0])
        // A late extension does not take the lease back.
        try await journal.extend([ids[0]], to: lease(0, until: 500))
        let claim = try await journal.claim(session: nil, for: lease(1), at: now)
        #expect(claim == MutationClaim(entries: [entries[0]], othersUntil: now + 60))
    }
}

struct SQLiteMutationJournalTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open() async throws -> SQLiteMutationJournal { try await SQLiteMutationJournal.open(.file(folder.file())) }

    @Test func `R24 calls, their order and those set aside survive a relaunch`() async throws {
        let entries = (0..<4).map { JournalKind.entry("\($0)") }
        let first = try await open()
        for entry in entries { try await first.append(entry) }
        try await first.setAside(entries[1].id, because: "unknown")
        try await first.remove(entries[3].id)
        await first.close()
        let second = try await open()
        #expect(try await second.entries() == [entries[0], entries[2]])
        #expect(try await second.setAside == [.init(entry: entries[1], reason: "unknown")])
        #expect(second.report.outcome == .healthy)
        await second.close()
    }

    @Test func `R24 D8 a journal of a newer version is refused and stays unchanged`() async throws {
        let entry = JournalKind.entry("a")
        let first = try await open()
        try await first.append(entry)
        await first.close()
        let change = { (text: SQL) in
            let database = try await SQLiteDatabase.open(.file(folder.file()))
            try await database.write { db in try db.execute(text) }
            await database.close()
        }
        try await change("INSERT INTO querykit_migrations (name, checksum, date) VALUES ('from the future', 0, 0)")
        await #expect { try await open() } throws: { ($0 as? SQLiteError)?.code == .newerSchema }
        try await change("DELETE FROM querykit_migrations WHERE name = 'from the future'")
        #expect(try await open().entries() == [entry])
    }

    @Test func `R24 a call that can't be read is set aside with its bytes, and the others remain`() async throws {
        let entries = (0..<4).map { JournalKind.entry("call \($0)") }
        let first = try await open()
        for entry in entries { try await first.append(entry) }
        await first.close()
        let database = try await SQLiteDatabase.open(.file(folder.file()))
        try await database.write { db in
            try db.execute("UPDATE calls SET id = x'0102' WHERE position = 1")
            // Not valid text.
            try db.execute("UPDATE calls SET name = CAST(x'61ff62' AS TEXT) WHERE position = 3")
        }
        let journal = try await open()
        #expect(try await journal.entries() == [entries[1], entries[3]])
        #expect(try await journal.entries() == [entries[1], entries[3]])
        let aside = try await journal.setAside
        #expect(aside.map(\.entry.arguments) == [entries[0].arguments, entries[2].arguments])
        #expect(aside.map(\.entry.name) == ["call 0", "a\u{FFFD}b"])
        #expect(aside.map(\.entry.id).last == entries[2].id)
        #expect(aside.allSatisfy { $0.reason.hasPrefix("It can't be read.") })
        await journal.close()
        let kept = try await database.read { db in
            try db.map("SELECT id, CAST(name AS BLOB) FROM set_aside ORDER BY position") { [try $0[0] as Data, try $0[1] as Data] }
        }
        #expect(kept.map(\.[0])[0] == Data([1, 2]))
        #expect(kept.map(\.[1])[1] == Data([0x61, 0xff, 0x62]))
    }

    @Test func `R24 a lease made unreadable by damage holds no call`() async throws {
        let entry = JournalKind.entry("0", scope: "s")
        let holder = UUID()
        let first = try await open()
        try await first.append(entry, leasedTo: MutationLease(holder: holder, process: "1@elsewhere", until: .now + 60))
        let other = MutationLease(holder: UUID(), process: "2@elsewhere", until: .now + 60)
        #expect(try await first.turn(of: entry.id, for: other, at: .now) == .lost)
        await first.close()
        let database = try await SQLiteDatabase.open(.file(folder.file()))
        try await database.write { db in try db.execute("UPDATE calls SET holder = x'01'") }
        await database.close()
        let journal = try await open()
        #expect(try await journal.turn(of: entry.id, for: other, at: .now) == .now)
        #expect(try await journal.claim(session: nil, for: other, at: .now).entries == [entry])
    }

    @Test func `R24 two clients with one file make each call once, in the order of its scope`() async throws {
        let (one, two) = (try await open(), try await open())
        let accounts = Accounts()
        let app = MutationBench(journal: one, isOnline: false, accounts: accounts)
        let widget = MutationBench(journal: two, accounts: accounts)
        let request = Change(scope: "s")
        for amount in 1...3 { try app.client.submit(request, with: Change.Step(amount)) }
        await app.client.settled()
        _ = try await widget.client.resumeMutations(of: [Change.self])
        let last = try widget.client.submit(request, with: Change.Step(4))
        await widget.client.settled()
        #expect(accounts.calls.isEmpty)
        app.network.set(isOnline: true)
        await app.client.settled()
        widget.clock.advance(by: .seconds(1))
        #expect(try await last.value == 10)
        await widget.client.settled()
        #expect(accounts.calls.map(\.amount) == [1, 2, 3, 4])
        #expect(try await two.entries().isEmpty)
    }

    @Test func `R24 a journal of the first version is opened with its calls`() async throws {
        let entry = JournalKind.entry("old", session: "me")
        let former = try await SQLiteDatabase.open(.file(folder.file()), migrations: [SQLiteMutationJournal.migrations.steps[0]])
        try await former.write { db in
            try db.execute(
                """
                INSERT INTO calls (id, name, version, session, date, request, arguments) VALUES
                (\(entry.id), 'old', 3, 'me', \(entry.date.timeIntervalSinceReferenceDate), \(entry.request), \(entry.arguments))
                """
            )
        }
        await former.close()
        let journal = try await open()
        let lease = MutationLease(holder: UUID(), process: "1@elsewhere", until: .now + 60)
        #expect(try await journal.claim(session: "me", for: lease, at: .now).entries == [entry])
    }

    @Test func `R24 D9 a journal whose file was replaced continues with the file that is there now`() async throws {
        let journal = try await open()
        let entries = ["restored", "new"].map { JournalKind.entry($0) }
        try await journal.append(entries[0])
        await journal.close()
        let copy = URL(filePath: folder.path() + ".copy")
        try FileManager.default.copyItem(at: folder.file(), to: copy)
        let next = try await open()
        try await next.append(JournalKind.entry("lost with the replaced file"))
        try Disk.move(copy.path, to: folder.path())
        try await next.append(entries[1])
        #expect(try await next.entries() == entries)
        await next.close()
    }

    @Test func `R24 D9 a journal that could not be recovered into a file accepts no new calls`() async throws {
        let first = try await open()
        let entry = JournalKind.entry("old")
        try await first.append(entry)
        await first.close()
        var data = try Data(contentsOf: folder.file())
        data.replaceSubrange(0..<16, with: Data(repeating: 0, count: 16))
        try data.write(to: folder.file())
        try FileManager.default.createDirectory(atPath: folder.path() + ".recovering", withIntermediateDirectories: false)
        let journal = try await open()
        #expect(try await journal.entries() == [entry])
        guard case .inMemory(let reason) = journal.report.outcome else {
            Issue.record("\(journal.report.outcome)")
            return
        }
        let error = await #expect(throws: SQLiteError.self) { try await journal.append(JournalKind.entry("new")) }
        #expect(error?.code == .cannotOpen)
        #expect(
            error?.message == """
                The journal is damaged, and no new file can be created, so the call would be lost when the process ends: \(reason) Open the \
                journal again once that is solved.
                """
        )
        #expect(try await journal.entries() == [entry])
        #expect(try Data(contentsOf: folder.file()) == data)
    }

    @Test func `R24 each journaled call is synchronized to disk`() async throws {
        let journal = try await open()
        let level = Lock<Int?>(nil)
        try await journal.database.core.lanes.perform(.write) { connection, _ in
            let found = try connection.value(Int.self, "PRAGMA synchronous")
            level.withLock { $0 = found }
        }
        #expect(level.withLock { $0 } == 2)
    }

    @Test func `R24 paused calls are made after a relaunch, in order and with their layers`() async throws {
        let accounts = Accounts()
        do {
            let journal = try await open()
            let bench = MutationBench(journal: journal, isOnline: false, accounts: accounts)
            for amount in 1...5 { try bench.client.store(for: Change(scope: "s")).submit(Change.Step(amount)) }
            await bench.wait(for: Change(scope: "s")) { $0.isPaused }
            await bench.client.settled()
            #expect(try await journal.entries().count == 5)
            await journal.close()
        }
        #expect(accounts.calls.isEmpty)

        let journal = try await open()
        let next = MutationBench(journal: journal, isOnline: false, accounts: accounts)
        next.client.store(for: Number()).setValue(100)
        let (resumed, aside) = try await next.client.resumeMutations(of: [Change.self])
        #expect(resumed.count == 5)
        #expect(aside.isEmpty)
        #expect(next.client.value(for: Number()) == 115)
        next.network.set(isOnline: true)
        await next.client.settled()
        #expect(accounts.calls.map(\.amount) == [1, 2, 3, 4, 5])
        #expect(accounts.keys == resumed)
        #expect(try await journal.entries().isEmpty)
    }

    @Test func `R24 a call that the next version can't decode is set aside in the file`() async throws {
        let journal = try await open()
        try await journal.append(JournalKind.entry(Change.journalName))
        let bench = MutationBench(journal: journal)
        #expect(try await bench.client.resumeMutations(of: [Change.self]).setAside.map(\.version) == [3])
        await journal.close()
        let next = try await open()
        #expect(try await next.entries().isEmpty)
        #expect(try await next.setAside.map(\.reason) == ["it has version 3, and TestSupport.Change has version 1"])
    }
}
