import Foundation
import TestSupport
import Testing

@testable import QueryKit

struct CallLogTests {
    private static func note(_ id: UUID) -> CallNote {
        CallNote(id: id, arguments: AnyValue(0), submittedAt: Date(timeIntervalSince1970: 0))
    }

    /// The same calls in a plain array, in the order in which they were made.
    private struct Reference {
        var calls: [(id: UUID, isPending: Bool)] = []

        mutating func add(_ id: UUID) {
            calls.removeAll { $0.id == id }
            calls.append((id, true))
        }

        mutating func end(_ id: UUID, keeping limit: Int) {
            if let index = calls.firstIndex(where: { $0.id == id }) { calls[index].isPending = false }
            while calls.count(where: { !$0.isPending }) > limit, let index = calls.firstIndex(where: { !$0.isPending }) {
                calls.remove(at: index)
            }
        }
    }

    @Test(arguments: [0, 1, 2, 3, 7, 20, 100])
    func `R21 a log keeps all calls under way and a limited number of ended ones, in the order in which they were made`(_ limit: Int) {
        for seed in 0..<6 {
            var dice = Dice(seed: seed)
            var (log, reference, ids) = (CallLog.empty, Reference(), [UUID]())
            for _ in 0..<200 {
                let known = reference.calls.map(\.id)
                switch dice.roll(8) {
                case 0, 1, 2:
                    // A new call, or a retry of the last one.
                    let id = dice.roll(6) == 0 ? ids.last ?? UUID() : UUID()
                    ids.append(id)
                    log = log.adding(Self.note(id), keeping: limit)
                    reference.add(id)
                case 3:
                    // A call that begins and ends before the state is read.
                    let id = UUID()
                    log = log.adding(Self.note(id), keeping: limit) { $0.end(.cancelled, at: .distantPast) }
                    reference.add(id)
                    reference.end(id, keeping: limit)
                case 4, 5, 6:
                    guard !known.isEmpty else { continue }
                    let id = known[dice.roll(known.count)]
                    let isLast = id == known.last
                    let change = log.changing(id) { $0.end(.cancelled, at: .distantPast) }
                    #expect(change?.isLatest == isLast)
                    log = change?.log ?? log
                    reference.end(id, keeping: limit)
                default:
                    #expect(log.changing(UUID()) { _ in } == nil)
                    log = log.overwritten as? CallLog ?? log
                }
                #expect(log.calls.map(\.id) == reference.calls.map(\.id), "seed \(seed)")
                #expect(log.calls.map(\.isPending) == reference.calls.map(\.isPending), "seed \(seed)")
                #expect(log.isPending == reference.calls.contains { $0.isPending })
                for call in reference.calls { #expect(log.isPending(call.id) == call.isPending) }
            }
        }
    }

    @Test func `R21 the state shows the latest call that was not cancelled, unless a value was written since`() {
        let ids = (0..<3).map { _ in UUID() }
        var log = CallLog.empty
        for id in ids { log = log.adding(Self.note(id), keeping: 20) { $0.begin(as: 1, at: .distantPast) } }
        #expect(log.latest?.id == ids[2])
        log = log.changing(ids[0]) { $0.end(.succeeded(AnyValue(1)), at: .distantPast) }?.log ?? log
        #expect(log.latest?.id == ids[2])
        for id in ids[1...2] { log = log.changing(id) { $0.end(.cancelled, at: .distantPast) }?.log ?? log }
        #expect(log.latest?.id == ids[0])
        log = log.overwritten as? CallLog ?? log
        #expect(log.latest == nil)
        // It begins after the write, so it is newer.
        log = log.adding(Self.note(UUID()), keeping: 20)
        #expect(log.latest != nil)
        #expect(((log.overwritten as? CallLog)?.latest != nil))
    }
}
