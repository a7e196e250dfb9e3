import Foundation
import TestSupport
import Testing

@testable import QueryKit

@Suite struct MutationLinesTests {
    private final class Client: Sendable {}

    /// Notes what is asked of it.
    private final class Call: EndableCall {
        let name: String
        let seen: Recorder<String>

        init(_ name: String, _ seen: Recorder<String>) { (self.name, self.seen) = (name, seen) }

        func request(_ end: MutationLines.End) { seen.note("\(name) \(end)") }
        func carryOutEnd() { seen.note("\(name) ends") }
    }

    private let ticket = StoreTicket(slot: 0, generation: 0)

    @Test func `R24 the end of a session cancels its calls, and none of the session that has begun`() {
        let client = Client()
        let (former, present) = (WeakOwner(client), WeakOwner(client))
        let lines = MutationLines()
        let cancelled = Recorder<String>()
        lines.add(UUID(), "change", of: ticket, in: former, Call("former", cancelled))
        former.end()
        // The first call of the next session may come before the calls of the former one are cancelled.
        lines.add(UUID(), "change", of: ticket, in: present, Call("present", cancelled))
        lines.leaveFormerSessions()
        #expect(cancelled.take() == ["former left", "former ends"])
        lines.end(matching: "change", .withdrawn)
        #expect(cancelled.all == ["former withdrawn", "present withdrawn", "former ends", "present ends"])
    }

    @Test func `R24 calls that end together all know of it first, and end in the order in which they were made`() {
        let lines = MutationLines()
        let seen = Recorder<String>()
        let names = (1...8).map(String.init)
        for name in names { lines.add(UUID(), "change", of: ticket, in: nil, Call(name, seen)) }
        lines.leave(of: ticket)
        #expect(seen.all == names.map { "\($0) left" } + names.map { "\($0) ends" })
    }

    // MARK: Order

    private let ids = (0..<6).map { _ in UUID() }

    @Test func `R24 calls that are made while older ones are expected stand behind them`() {
        var lines = ScopeLines()
        #expect(lines.enter("a", ids[0]) == true)
        lines.expectOthers()
        #expect(lines.enter("b", ids[1]) == false)
        #expect(lines.enter("b", ids[2]) == false)
        #expect(lines.enter("b", ids[3], isExpected: true) == true)
        #expect(lines.enter("a", ids[4], isExpected: true) == false)
        let free = lines.expectNoOthers()
        #expect(free.isEmpty)
        let next = ["b", "b", "a"].enumerated().map { lines.leave($1, [ids[3], ids[1], ids[0]][$0]) }
        #expect(next == [ids[1], ids[2], ids[4]])
    }

    @Test func `R24 a late call goes on where nobody came who was expected, unless it has left`() {
        var lines = ScopeLines()
        lines.expectOthers()
        for id in ids[0...2] { _ = lines.enter("a", id) }
        #expect(lines.enter("b", ids[3]) == false)
        #expect(lines.leave("a", ids[0]) == nil)
        let free = lines.expectNoOthers()
        #expect(free.map(\.id) == [ids[1], ids[3]])
        #expect(lines.leave("a", ids[1]) == ids[2])
        for (scope, id) in [("a", ids[2]), ("b", ids[3])] { _ = lines.leave(scope, id) }
        #expect(lines.isEmpty)
    }

    @Test func `R24 a call is claimed once, and not while it is on its way or just over`() {
        let lines = MutationLines()
        func add(_ id: UUID) { lines.add(id, "change", of: ticket, in: nil, Call("", Recorder())) }
        add(ids[0])
        lines.beginResumption()
        add(ids[1])
        for id in ids[0...1] { lines.remove(id) }
        lines.beginResumption()
        #expect(ids[0...2].map(lines.claim) == [false, false, true])
        lines.endResumption()
        #expect(!lines.claim(ids[2]))
        lines.endResumption()
        lines.beginResumption()
        #expect(lines.claim(ids[2]))
    }
}
