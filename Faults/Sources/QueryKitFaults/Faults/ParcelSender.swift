import Dispatch
import Foundation
import QueryKit
import QueryKitSQLite

/// The process that is killed: it repeats the calls in the journal, then makes new ones until the parent tells it to finish.
///
/// It reports when a call was submitted, when it is in the journal, and when it has returned its value.
struct ParcelSender {
    static let role = Role("parcel-sender") { trial, arguments in
        guard arguments.count == 2, let process = Int(arguments[1]) else { exit(64) }
        let journal = try await SQLiteMutationJournal.open(.file(journalFile(trial, arguments[0])))
        Role.say("open \(journal.report.outcome)")
        let server = try ParcelServer(serverFile(trial, arguments[0]), for: process)
        var sender = ParcelSender(process: process, seed: trial.plan.seed, journal, server)
        try await sender.run()
    }

    static func journalFile(_ trial: Trial, _ name: String) -> URL { trial.file("\(name).sqlite") }
    static func serverFile(_ trial: Trial, _ name: String) -> URL { trial.file("\(name).server") }

    private let process: Int
    private let journal: SQLiteMutationJournal
    private let client: QueryClient
    private var dice: Dice
    private var number = 0

    private init(process: Int, seed: UInt64, _ journal: SQLiteMutationJournal, _ server: ParcelServer) {
        (self.process, self.journal) = (process, journal)
        dice = Dice(seed, "process \(process)")
        var context = QueryContext()
        context.mutationJournal = TalkingJournal(journal: journal)
        context[ParcelServer.ContextKey.self] = server
        client = QueryClient(context: context, configuration: .isolated)
    }

    private mutating func run() async throws {
        let events = client.events
        // Runs until the process ends.
        Task.detached {
            for await event in events where event.kind == .storageFailed { Role.say("trouble the journal failed: \(event)") }
        }
        try await resume()
        try await withThrowingTaskGroup(of: Void.self) { calls in
            var count = 0
            while !Self.isToldToFinish {
                if count == 8 { try await calls.next() } else { count += 1 }
                let call = try submit(in: SendParcel.scopes[dice.below(3)])
                calls.addTask { await Self.wait(for: call) }
                // As at launch, and when an app becomes active.
                if dice.isOne(in: 16) { try await resume() }
                if dice.isOne(in: 2) { try await Task.sleep(for: .microseconds(dice.below(8_000))) }
            }
            // These calls come after all earlier ones of their scopes, so the calls of killed processes are made first.
            for scope in SendParcel.scopes {
                let call = try submit(in: scope)
                calls.addTask { await Self.wait(for: call) }
            }
            try await calls.waitForAll()
        }
        // The remaining calls of killed processes.
        try await resume()
        while try await !journal.entries().isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        for call in try await journal.setAside { Role.say("trouble a call was set aside because \(call.reason)") }
        await client.settled()
        await journal.close()
        Role.say("empty")
    }

    private func resume() async throws {
        let aside = try await client.resumeMutations(of: [SendParcel.self]).setAside
        if !aside.isEmpty { Role.say("trouble \(aside.count) calls were set aside") }
        Role.say("resumed")
    }

    private mutating func submit(in scope: String?) throws -> MutationCall<Parcel, Void> {
        number += 1
        let parcel = Parcel(process: process, number: number, before: delay(), after: delay())
        Role.say("submit \(number) \(DispatchTime.now().uptimeNanoseconds)")
        return try client.submit(SendParcel(scope: scope), with: parcel)
    }

    private mutating func delay() -> Int { dice.isOne(in: 2) ? 0 : dice.below(dice.isOne(in: 4) ? 20_000 : 3_000) }

    private static func wait(for call: MutationCall<Parcel, Void>) async {
        do {
            try await call.value
            Role.say("done \(call.arguments.number)")
        } catch {
            Role.say("trouble call \(call.arguments.name) failed: \(error)")
        }
    }

    /// Whether the parent has sent a line, or has ended.
    private static var isToldToFinish: Bool {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&input, 1, 0) > 0
    }
}

/// Reports when a call is in the journal.
private struct TalkingJournal: SharedMutationJournal {
    let journal: SQLiteMutationJournal

    func append(_ entry: MutationJournalEntry) async throws { try await journal.append(entry) }

    func append(_ entry: MutationJournalEntry, leasedTo lease: MutationLease) async throws {
        try await journal.append(entry, leasedTo: lease)
        let parcel = try JSONDecoder().decode(Parcel.self, from: entry.arguments)
        Role.say("written \(parcel.number) \(DispatchTime.now().uptimeNanoseconds)")
    }

    func remove(_ id: UUID) async throws { try await journal.remove(id) }
    func entries() async throws -> [MutationJournalEntry] { try await journal.entries() }
    func setAside(_ id: UUID, because reason: String) async throws { try await journal.setAside(id, because: reason) }
    func clear() async throws { try await journal.clear() }

    func claim(session: String?, for lease: MutationLease, at date: Date) async throws -> MutationClaim {
        try await journal.claim(session: session, for: lease, at: date)
    }

    func turn(of id: UUID, for lease: MutationLease, at date: Date) async throws -> MutationTurn {
        try await journal.turn(of: id, for: lease, at: date)
    }

    func extend(_ ids: [UUID], to lease: MutationLease) async throws { try await journal.extend(ids, to: lease) }
    func release(_ ids: [UUID], by holder: UUID) async throws { try await journal.release(ids, by: holder) }
}
