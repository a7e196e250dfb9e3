import Testing

@testable import QueryKit

struct GeneralChangeTests {
    private let number = ChangeNumber(number: 7)

    private func change(_ kind: StoreChange.Kind = .reset(.reset, forgets: true), slotCount: Int = 130) -> GeneralChange {
        GeneralChange(StoreChange(number: number, kind: kind), slotCount: slotCount)
    }

    @Test func `R29 a change of all stores is pending once for each slot`() {
        var change = change()
        #expect((0..<140).filter { change.waits(for: $0, isRetired: false) } == Array(0..<130))
        let taken = [64, 64, 130].map { change.take($0, isRetired: false) }
        #expect(taken == [true, false, false])
        #expect((0..<140).filter { !change.waits(for: $0, isRetired: false) } == [64] + Array(130..<140))
        #expect((0..<140).filter(change.members.contains) == Array(0..<130), "A slot whose change was taken still belongs to the change.")
    }

    @Test func `R29 a slot with a newer store is excluded from a change of all stores`() {
        var change = change()
        change.leaveOut(129)
        change.leaveOut(500)
        #expect(!change.waits(for: 129, isRetired: false))
        #expect(!change.members.contains(129))
        #expect(change.waits(for: 128, isRetired: false))
    }

    @Test func `R29 a retired store is affected by a new session, but not by a reset or an invalidation`() {
        var session = change(.renewed(.session))
        #expect(session.waits(for: 1, isRetired: true))
        let isTaken = session.take(1, isRetired: true)
        #expect(isTaken)
        for kind in [StoreChange.Kind.reset(.reset, forgets: true), .invalidated(.manual, .active)] {
            var change = change(kind)
            #expect(!change.waits(for: 1, isRetired: true))
            let isTaken = change.take(1, isRetired: true)
            #expect(!isTaken)
            #expect(!change.waits(for: 1, isRetired: false), "The store was already retired when the change was entered.")
        }
    }

    @Test(arguments: [0, 1, 63, 64, 65]) func `a set of slots below an end contains those slots and no others`(count: Int) {
        let set = SlotSet(below: count)
        #expect((0..<200).filter(set.contains) == Array(0..<UInt32(count)))
    }
}
