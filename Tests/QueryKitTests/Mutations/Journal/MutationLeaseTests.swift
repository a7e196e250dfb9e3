import Foundation
import TestSupport
import Testing

@testable import QueryKit

struct MutationLeaseTests {
    private let now = Date(timeIntervalSinceReferenceDate: 700_000_000)
    private let own = JournalLeases()
    private let other = JournalLeases()

    private func lease(_ holder: UUID, process: String, for seconds: TimeInterval = 60) -> MutationLease {
        MutationLease(holder: holder, process: process, until: now + seconds)
    }

    /// The identity of a process that has ended.
    private func ended() throws -> ProcessIdentity {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/true")
        try process.run()
        process.waitUntilExit()
        return ProcessIdentity(number: process.processIdentifier, space: ProcessIdentity.current.space)
    }

    @Test func `R24 a lease ends at its time, or at once if it lies too far ahead because the clock was set back`() {
        #expect(!lease(own.holder, process: ProcessIdentity.current.text, for: 1).isOver(at: now))
        #expect(lease(own.holder, process: ProcessIdentity.current.text, for: 0).isOver(at: now))
        #expect(lease(own.holder, process: ProcessIdentity.current.text, for: -1).isOver(at: now))
        #expect(!lease(own.holder, process: ProcessIdentity.current.text, for: 600).isOver(at: now))
        #expect(lease(own.holder, process: ProcessIdentity.current.text, for: 601).isOver(at: now))
    }

    @Test func `R24 a lease ends with its process, if that process is known to have ended`() throws {
        let (present, ended) = (ProcessIdentity.current, try ended())
        let parent = ProcessIdentity(number: getppid(), space: present.space)
        // Of another container or an earlier boot, or unreadable.
        let unknown = [ProcessIdentity(number: ended.number, space: "elsewhere").text, "", "1", "x@y", "-1@" + present.space]
        #expect(lease(UUID(), process: ended.text).isOver(at: now))
        #expect(!lease(UUID(), process: parent.text).isOver(at: now))
        for text in unknown { #expect(!lease(UUID(), process: text).isOver(at: now), "\(text)") }
        #expect(ProcessIdentity(present.text) == present)
    }

    @Test func `R24 a lease of this process ends with its client`() {
        var leases: JournalLeases? = JournalLeases()
        let held = leases?.lease(at: now)
        #expect(held?.isOver(at: now) == false)
        leases = nil
        #expect(held?.isOver(at: now) == true)
    }

    // MARK: Decisions

    private func entry(_ name: String) -> MutationJournalEntry {
        MutationJournalEntry(id: UUID(), name: name, version: 1, date: now, request: Data(), arguments: Data())
    }

    @Test func `R24 a client claims entries that no other client holds, in order, and learns when to look again`() {
        let entries = ["free", "own", "other", "ended", "other for less"].map(entry)
        let leases: [MutationLease?] = [
            nil, own.lease(at: now - 120), other.lease(at: now), other.lease(at: now - 61), other.lease(at: now - 30),
        ]
        let claim = MutationClaim(of: Array(zip(entries, leases)), for: own.lease(at: now), at: now)
        #expect(claim.entries.map(\.name) == ["free", "own", "ended"])
        #expect(claim.othersUntil == now + 30)
        let alone = MutationClaim(of: Array(zip(entries[0...1], leases[0...1])), for: own.lease(at: now), at: now)
        #expect(alone.othersUntil == nil)
    }

    @Test func `R24 a call is blocked by earlier calls of other clients and follows earlier free ones`() {
        let (id, first, second) = (UUID(), UUID(), UUID())
        let (mine, theirs, past) = (own.lease(at: now), other.lease(at: now), other.lease(at: now - 61))
        func turn(_ held: MutationLease??, after earlier: [(UUID, MutationLease?)] = []) -> MutationTurn {
            MutationTurn(own: held.map { (id, $0) }, earlier: earlier, for: mine, at: now)
        }
        #expect(turn(.none) == .lost)
        #expect(turn(theirs) == .lost)
        for held in [nil, mine, past] {
            #expect(turn(.some(held)) == .now)
            #expect(turn(.some(held), after: [(first, mine), (second, theirs)]) == .blocked(after: [first]))
            #expect(turn(.some(held), after: [(first, past), (second, mine)]) == .after([first, second]))
        }
        #expect(turn(theirs, after: [(first, nil)]) == .lost)
    }
}
