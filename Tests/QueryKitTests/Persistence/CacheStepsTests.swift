import Foundation
import Testing

@testable import QueryKit

struct CacheStepsTests {
    private let a = QueryCacheKey(path: ["a"], type: "T")
    private let b = QueryCacheKey(path: ["b"], type: "T")

    @Test func `of several changes to a key only the last is made, at the position of the first`() {
        let steps = Steps()
        steps.write(1, a)
        steps.write(1, b)
        steps.write(2, a)
        steps.remove(b)
        steps.mark(a)
        steps.mark(b)
        #expect(steps.all == ["a=2!", "b-"])
    }

    @Test func `a change by pattern stays between the changes before and after it`() {
        let steps = Steps()
        steps.write(1, a)
        steps.change(.removed("a"))
        steps.write(2, a)
        steps.change(.invalidated("a"))
        steps.mark(a)
        steps.write(3, a)
        #expect(steps.all == ["a=1", "a-", "a=2", "a!", "a=3"])
    }

    @Test func `a change that has begun is not replaced by later ones`() {
        let steps = Steps()
        steps.write(1, a)
        #expect(steps.take() == "a=1")
        steps.write(2, a)
        steps.mark(a)
        #expect(steps.all == ["a=2!"])
    }

    @Test func `a reader waits only for changes that affect its key`() {
        let steps = Steps()
        #expect(steps.turn(a) == nil)
        steps.write(1, a)
        #expect(steps.turn(b) == nil)
        #expect(steps.turn(a) != nil)
        #expect(steps.take() == "a=1")
        #expect(steps.turn(a) != nil)
        #expect(steps.all == ["pass", "pass"])
        #expect(steps.turn(a) == nil)
        steps.change(.invalidated("x"))
        #expect(steps.turn(b) != nil)
        #expect(steps.all == ["x!", "pass"])
        #expect(steps.turn(b) == nil)
    }

    @Test func `only one worker runs at a time`() {
        let steps = Steps()
        #expect(!steps.begin())
        steps.remove(a)
        #expect(steps.begin())
        steps.remove(b)
        #expect(!steps.begin())
        #expect(steps.all == ["a-", "b-"])
        #expect(!steps.begin())
        steps.remove(a)
        #expect(steps.begin())
    }

    @Test func `many steps keep their order while others are added`() {
        let steps = Steps()
        var taken: [String] = []
        for number in 0..<500 {
            steps.write(number, QueryCacheKey(path: [number], type: "T"))
            if number.isMultiple(of: 3), let text = steps.take() { taken.append(text) }
        }
        for number in 400..<500 { steps.write(-number, QueryCacheKey(path: [number], type: "T")) }
        taken += steps.all
        #expect(taken == (0..<500).map { $0 < 400 ? "\($0)=\($0)" : "\($0)=\(-$0)" })
    }
}

/// The steps as text, in a shared object.
private final class Steps {
    private var steps = CacheSteps()

    func write(_ value: Int, _ key: QueryCacheKey) {
        let coding = QueryPersistence(version: 1, encode: { _ in Data() }, decode: { _ in AnyValue(0) })
        let stored = StoredValue(value: AnyValue(value), date: .distantPast, isInvalidated: false)
        steps.write(CacheSteps.Write(stored: stored, ttl: .infinity, persistence: coding), key)
    }

    func mark(_ key: QueryCacheKey) { steps.mark(key) }
    func remove(_ key: QueryCacheKey) { steps.remove(key) }
    func change(_ change: PatternChange) { steps.change(change) }
    func turn(_ key: QueryCacheKey) -> Promise<Void>? { steps.turn(for: key) }
    func begin() -> Bool { steps.begin() }

    func take() -> String? {
        switch steps.take() {
        case .write(let key, let write):
            "\(key.path[0])=\(write.stored.value.unboxed(as: Int.self))" + (write.stored.isInvalidated ? "!" : "")
        case .mark(let key): "\(key.path[0])!"
        case .remove(let key): "\(key.path[0])-"
        case .pattern(.invalidated(let pattern)): "\(pattern)!"
        case .pattern(.removed(let pattern)): "\(pattern)-"
        case .pass: "pass"
        case nil: nil
        }
    }

    var all: [String] {
        var texts: [String] = []
        while let text = take() { texts.append(text) }
        return texts
    }
}
