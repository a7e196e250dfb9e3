import Foundation
import QueryKit

extension JSON {
    /// Pending calls, ended calls and the journal.
    ///
    /// - Parameters:
    ///   - zero: The wall-clock date at time zero of the session.
    ///   - showsValues: Whether to send the names of the sessions in the journal, which can be ids of users.
    static func mutations(_ rows: [MutationRow], journal: JournalState, zero: Date, showsValues: Bool) -> [Member] {
        func time(_ date: Date?) -> JSON { date.map { .number(($0.timeIntervalSince(zero) * 1_000_000).rounded() / 1_000) } ?? .null }
        let calls = rows.filter(\.isPending).map { row -> JSON in
            [
                "id": .text(row.id.uuidString),
                "path": .text(row.path),
                "store": .integer(row.store),
                "call": .integer(row.call),
                "status": .text(row.status.rawValue),
                "scope": .text(row.scope),
                "attempts": .integer(row.attempts),
                "since": time(row.startedAt ?? row.submittedAt),
                "arguments": .text(row.arguments),
                "durable": .flag(row.isDurable),
                "layers": .texts(row.layers),
            ]
        }
        let history = rows.filter { !$0.isPending }.map { row -> JSON in
            [
                "id": .text(row.id.uuidString),
                "path": .text(row.path),
                "store": .integer(row.store),
                "call": .integer(row.call),
                "status": .text(row.status.rawValue),
                "t": time(row.submittedAt),
                "ms": .number(row.endedAt.map { ($0.timeIntervalSince(row.submittedAt) * 1_000_000).rounded() / 1_000 } ?? .nan),
                "arguments": .text(row.arguments),
                "error": .text(row.error),
            ]
        }
        let entries = journal.rows.map { row -> JSON in
            [
                "id": .text(row.id.uuidString),
                "path": .text(row.name),
                "created": .text(iso(row.date)),
                "state": .text(row.isPending ? "pending" : "written"),
                "key": .text(row.id.uuidString),
                "scope": .text(row.scope),
                "session": .text(showsValues ? row.session : nil),
            ]
        }
        return [
            Member(name: "calls", value: .list(calls)), Member(name: "history", value: .list(history)),
            Member(name: "journal", value: .list(entries)), Member(name: "journalError", value: .text(journal.error)),
        ]
    }

    static func iso(_ date: Date) -> String { date.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true)) }
}

/// The journal of a client as it was read last.
struct JournalState: Hashable, Sendable {
    var rows: [JournalRow] = []
    /// The code or the type of the error if the journal couldn't be read.
    var error: String?

    static func read(_ inspection: ClientInspection) async -> JournalState {
        do {
            return JournalState(rows: try await inspection.journalRows())
        } catch {
            return JournalState(error: ShortText.kind(of: error))
        }
    }
}
