import Foundation
import TestSupport
import Testing

@testable import QueryKit

@Suite struct MutationLinesTests {
    private final class Client: Sendable {}

    /// Records how it is ended.
    private final class Call: EndableCall {
        let id: UUID
        let name: String
        let seen: Recorder<String>
        let isLeft: Bool
        let context: QueryContext
        let path: QueryPath = "change"
        let ticket = StoreTicket(slot: 0, generation: 0)

        init(
            _ name: String = "",
            _ seen: Recorder<String> = Recorder(),
            id: UUID = UUID(),
            isLeft: Bool = false,
            in context: QueryContext = QueryContext()
        ) {
            (self.id, self.name, self.seen, self.isLeft, self.context) = (id, name, seen, isLeft, context)
        }

        func request(_ end: MutationLines.End) { seen.note("\(name) \(end)") }
        func takeLayered() -> [StoreCore] { [] }
        func carryOutEnd() { seen.note("\(name) ends") }
    }

    private func context(_ owner: WeakOwner? = nil, session: String? = nil) -> QueryContext {
        var context = QueryContext()
        (context.owner, context.session) = (owner, session)
        return context
    }

    @Test func `R24 the end of a session cancels its own calls, not those of the next session`() {
        let client = Client()
        let (former, present) = (WeakOwner(client), WeakOwner(client))
        let lines = MutationLines()
        let cancelled = Recorder<String>()
        lines.add(Call("former", cancelled, in: context(former)))
        former.end()
        // The next session's first call may come before the former session's calls are cancelled.
        lines.add(Call("present", cancelled, in: context(present)))
        lines.leaveFormerSessions()
        #expect(cancelled.take() == ["former left", "former ends"])
        lines.end(matching: "change", .withdrawn)
        #expect(cancelled.all == ["present withdrawn", "present ends"])
    }

    @Test func `R24 adding a call with an id that is in use returns the existing call`() {
        let lines = MutationLines()
        let id = UUID()
        let (first, second) = (Call("first", id: id), Call("second", id: id))
        #expect(lines.add(first) == nil)
        #expect(lines.add(second) === first)
        lines.remove(id)
        #expect(lines.add(second) == nil)
    }

    @Test func `R24 calls that end together are all marked first, then ended in the order in which they were made`() {
        let lines = MutationLines()
        let seen = Recorder<String>()
        let names = (1...8).map(String.init)
        for name in names { lines.add(Call(name, seen)) }
        lines.leave(of: StoreTicket(slot: 0, generation: 0))
        #expect(seen.all == names.map { "\($0) left" } + names.map { "\($0) ends" })
    }

    // MARK: Order

    private let ids = (0..<6).map { _ in UUID() }

    @Test func `R24 calls made while older ones are expected queue behind them`() {
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

    @Test func `R24 a waiting call continues if no expected call came before it, unless it has left`() {
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

    @Test func `R24 the first call of a scope gives way to calls that come earlier in the journal`() {
        var lines = ScopeLines()
        for id in ids[0...3] { _ = lines.enter("a", id) }
        #expect(lines.giveWay("a", ids[0], to: [ids[1], ids[2]]) == ids[1])
        // Only the first call gives way, and only to calls behind it.
        #expect(lines.giveWay("a", ids[0], to: [ids[3]]) == nil)
        #expect(lines.giveWay("a", ids[1], to: [ids[1], ids[5]]) == nil)
        #expect(lines.giveWay("b", ids[1], to: [ids[2]]) == nil)
        #expect(ids[1...2].map { lines.leave("a", $0) } == [ids[2], ids[0]])
        #expect(lines.leave("a", ids[0]) == ids[3])
    }

    @Test func `R24 a call can be claimed once, and not while it is under way or has just ended`() {
        let lines = MutationLines()
        func add(_ id: UUID) { lines.add(Call(id: id)) }
        add(ids[0])
        _ = lines.beginResumption(of: nil)
        add(ids[1])
        for id in ids[0...1] { lines.remove(id) }
        #expect(ids[0...2].map(lines.claim) == [false, false, true])
        #expect(!lines.claim(ids[2]))
        lines.endResumption()
        _ = lines.beginResumption(of: nil)
        #expect(lines.claim(ids[2]))
    }

    @Test func `R24 a call can't be claimed during its withdrawal, or by a resumption that began before its end`() {
        let lines = MutationLines()
        #expect(lines.beginWithdrawal(ids[0]) == nil)
        _ = lines.beginResumption(of: nil)
        #expect(!lines.claim(ids[0]))
        lines.endWithdrawal(ids[0])
        #expect(!lines.claim(ids[0]))
        lines.endResumption()
        _ = lines.beginResumption(of: nil)
        #expect(lines.claim(ids[0]))
    }

    @Test func `R24 a call withdrawn between its claim and its start is ended`() {
        let lines = MutationLines()
        let seen = Recorder<String>()
        _ = lines.beginResumption(of: nil)
        #expect(lines.claim(ids[0]))
        #expect(lines.beginWithdrawal(ids[0]) == nil)
        lines.add(Call("late", seen, id: ids[0]))
        lines.endClaim()
        #expect(seen.all == ["late withdrawn", "late ends"])
    }

    @Test func `R24 a resumption waits for left calls of its own session only`() {
        let lines = MutationLines()
        for (index, id) in ids.enumerated() {
            lines.add(Call(id: id, isLeft: index < 4, in: context(session: index % 2 == 0 ? "a" : "b")))
        }
        for session in ["b", "a"] {
            lines.endResumption()
            #expect(lines.beginResumption(of: session).count == 2)
        }
        #expect(ids.map(lines.claim) == [false, false, false, false, false, false])
        for id in ids { lines.remove(id) }
        #expect(ids.map(lines.claim) == [true, false, true, false, false, false])
    }
}
