import Testing

@testable import QueryKit

/// Which runs read the same snapshot, and when their round is over.
struct RoundMembersTests {
    private final class Run: Sendable {}

    private typealias Members = RoundMembers<Run>

    private var wait: Members.Wait { Members.Wait(resume: {}, end: Promise()) }

    private func change(_ number: UInt64) -> ChangeNumber { ChangeNumber(number: number) }

    @Test func `members are ready when each has a result or a failure`() {
        var members = Members()
        let (first, second, stranger) = (Run(), Run(), Run())
        members.add(first)
        members.add(second)
        #expect(!members.isReady)
        let isFirstTaken = members.take(.success(AnyValue(1)), of: first, wait)
        #expect(isFirstTaken && !members.isReady)
        let isSecondTaken = members.take(.failure(CancellationError()), of: second, wait)
        #expect(isSecondTaken && members.isReady)
        let isStrangerTaken = members.take(.success(AnyValue(1)), of: stranger, wait)
        #expect(!isStrangerTaken)
        #expect(members.results.count == 2)
    }

    @Test func `a run with a result stays when it leaves, and a working one is removed`() {
        var members = Members()
        let (held, working) = (Run(), Run())
        members.add(held)
        members.add(working)
        _ = members.take(.success(AnyValue(1)), of: held, wait)
        let removed = [members.removeWorking(held), members.removeWorking(working), members.removeWorking(working)]
        #expect(removed == [false, true, false])
        #expect(members.isReady && members.contains(held) && !members.contains(working))
    }

    @Test func `at the time limit all runs without a result are removed`() {
        var members = Members()
        let (held, late) = (Run(), Run())
        members.add(late)
        members.add(held)
        _ = members.take(.success(AnyValue(1)), of: held, wait)
        let removed = members.removeLate()
        #expect(removed.map { $0 === late } == [true])
        #expect(members.runs.map { $0 === held } == [true])
    }

    /// The sources of the round were read as of changes 5 and 7.
    @Test(
        arguments: [
            // Started for an older change, or for the same one.
            (4, nil, false, .joins), (5, nil, false, .joins),
            // It must see a newer change.
            (6, nil, false, .waits), (9, 8, false, .waits),
            // Its store's value lacks a change that the others show.
            (9, 7, false, .asOfRound), (9, 3, false, .asOfRound),
            // A member waits for it.
            (9, nil, true, .asOfRound),
        ] as [(UInt64, UInt64?, Bool, RoundMembers<StoreRun>.Admission)]
    )
    func `a run joins the others unless it must see a newer change`(
        _ asOf: UInt64,
        _ missed: UInt64?,
        _ isAwaited: Bool,
        _ admission: RoundMembers<StoreRun>.Admission
    ) {
        var numbers = RoundNumbers()
        #expect(numbers.admission(asOf: change(asOf), missed: missed.map(change), isAwaited: isAwaited) == .joins)
        numbers.note(change(7))
        numbers.note(change(5))
        #expect(numbers.first == change(5) && numbers.last == change(7))
        #expect(numbers.admission(asOf: change(asOf), missed: missed.map(change), isAwaited: isAwaited) == admission)
    }
}
