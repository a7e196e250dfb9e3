import Foundation
import TestSupport
import Testing

@testable import QueryKit

struct MutationQueuesTests {
    private final class Client: Sendable {}

    /// Records how it is ended.
    private final class Call: EndableCall {
        let id: UUID
        let name: String
        let seen: Recorder<String>
        let isKept: Bool
        let context: QueryContext
        let path: QueryPath = "change"
        let ticket = StoreTicket(slot: 0, generation: 0)

        init(
            _ name: String = "",
            _ seen: Recorder<String> = Recorder(),
            id: UUID = UUID(),
            isKept: Bool = false,
            in context: QueryContext = QueryContext()
        ) {
            (self.id, self.name, self.seen, self.isKept, self.context) = (id, name, seen, isKept, context)
        }

        func request(_ end: MutationQueues.End) { seen.note("\(name) \(end)") }
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
        let queues = MutationQueues()
        let cancelled = Recorder<String>()
        queues.add(Call("former", cancelled, in: context(former)))
        former.end()
        // The next session's first call may come before the previous session's calls are cancelled.
        queues.add(Call("present", cancelled, in: context(present)))
        queues.endFormerSessions()
        #expect(cancelled.take() == ["former kept", "former ends"])
        queues.end(matching: "change", .withdrawn)
        #expect(cancelled.all == ["present withdrawn", "present ends"])
    }

    @Test func `R24 adding a call with an id that is in use returns the existing call`() {
        let queues = MutationQueues()
        let id = UUID()
        let (first, second) = (Call("first", id: id), Call("second", id: id))
        #expect(queues.add(first) == nil)
        #expect(queues.add(second) === first)
        queues.remove(id)
        #expect(queues.add(second) == nil)
    }

    @Test func `R24 calls that end together are all marked first, then ended in the order in which they were made`() {
        let queues = MutationQueues()
        let seen = Recorder<String>()
        let names = (1...8).map(String.init)
        for name in names { queues.add(Call(name, seen)) }
        queues.end(of: StoreTicket(slot: 0, generation: 0))
        #expect(seen.all == names.map { "\($0) kept" } + names.map { "\($0) ends" })
    }

    // MARK: Order

    private let ids = (0..<6).map { _ in UUID() }

    @Test func `R24 calls made while older ones are expected queue behind them`() {
        var queues = ScopeQueues()
        #expect(queues.enter("a", ids[0]) == true)
        queues.expectOthers()
        #expect(queues.enter("b", ids[1]) == false)
        #expect(queues.enter("b", ids[2]) == false)
        #expect(queues.enter("b", ids[3], isExpected: true) == true)
        #expect(queues.enter("a", ids[4], isExpected: true) == false)
        let free = queues.expectNoOthers()
        #expect(free.isEmpty)
        let next = ["b", "b", "a"].enumerated().map { queues.leave($1, [ids[3], ids[1], ids[0]][$0]) }
        #expect(next == [ids[1], ids[2], ids[4]])
    }

    @Test func `R24 a waiting call continues if no expected call came before it, unless it has left`() {
        var queues = ScopeQueues()
        queues.expectOthers()
        for id in ids[0...2] { _ = queues.enter("a", id) }
        #expect(queues.enter("b", ids[3]) == false)
        #expect(queues.leave("a", ids[0]) == nil)
        let free = queues.expectNoOthers()
        #expect(free.map(\.id) == [ids[1], ids[3]])
        #expect(queues.leave("a", ids[1]) == ids[2])
        for (scope, id) in [("a", ids[2]), ("b", ids[3])] { _ = queues.leave(scope, id) }
        #expect(queues.isEmpty)
    }

    @Test func `R24 the first call of a scope gives way to calls that come earlier in the journal`() {
        var queues = ScopeQueues()
        for id in ids[0...3] { _ = queues.enter("a", id) }
        #expect(queues.giveWay("a", ids[0], to: [ids[1], ids[2]]) == ids[1])
        // Only the first call gives way, and only to calls behind it.
        #expect(queues.giveWay("a", ids[0], to: [ids[3]]) == nil)
        #expect(queues.giveWay("a", ids[1], to: [ids[1], ids[5]]) == nil)
        #expect(queues.giveWay("b", ids[1], to: [ids[2]]) == nil)
        #expect(ids[1...2].map { queues.leave("a", $0) } == [ids[2], ids[0]])
        #expect(queues.leave("a", ids[0]) == ids[3])
    }

    @Test func `R24 a call can be claimed once, and not while it is under way or has just ended`() {
        let queues = MutationQueues()
        func add(_ id: UUID) { queues.add(Call(id: id)) }
        add(ids[0])
        _ = queues.beginResumption(of: nil)
        add(ids[1])
        for id in ids[0...1] { queues.remove(id) }
        #expect(ids[0...2].map(queues.claim) == [false, false, true])
        #expect(!queues.claim(ids[2]))
        queues.endResumption()
        _ = queues.beginResumption(of: nil)
        #expect(queues.claim(ids[2]))
    }

    @Test func `R24 a call can't be claimed during its withdrawal, or by a resumption that began before its end`() {
        let queues = MutationQueues()
        #expect(queues.beginWithdrawal(ids[0]) == nil)
        _ = queues.beginResumption(of: nil)
        #expect(!queues.claim(ids[0]))
        queues.endWithdrawal(ids[0])
        #expect(!queues.claim(ids[0]))
        queues.endResumption()
        _ = queues.beginResumption(of: nil)
        #expect(queues.claim(ids[0]))
    }

    @Test func `R24 a call withdrawn between its claim and its start is ended`() {
        let queues = MutationQueues()
        let seen = Recorder<String>()
        _ = queues.beginResumption(of: nil)
        #expect(queues.claim(ids[0]))
        #expect(queues.beginWithdrawal(ids[0]) == nil)
        queues.add(Call("late", seen, id: ids[0]))
        queues.endClaim()
        #expect(seen.all == ["late withdrawn", "late ends"])
    }

    @Test func `R24 a resumption waits for kept calls of its own session only`() {
        let queues = MutationQueues()
        for (index, id) in ids.enumerated() {
            queues.add(Call(id: id, isKept: index < 4, in: context(session: index % 2 == 0 ? "a" : "b")))
        }
        for session in ["b", "a"] {
            queues.endResumption()
            #expect(queues.beginResumption(of: session).count == 2)
        }
        #expect(ids.map(queues.claim) == [false, false, false, false, false, false])
        for id in ids { queues.remove(id) }
        #expect(ids.map(queues.claim) == [true, false, true, false, false, false])
    }
}
