import Foundation
import TestSupport
import Testing

@testable import QueryKit

/// Threads that use one engine at once. At the end each observed value is fresh, and nothing is under way.
struct EngineConcurrencyTests {
    /// Numbers that requests read; each is a region.
    private final class Source: Sendable {
        let numbers = Lock([Int](repeating: 0, count: 4))
        let engine: Engine

        init(_ engine: Engine) { self.engine = engine }

        func region(_ index: Int) -> QueryRegion { QueryRegion(source: "numbers", name: "\(index)") }

        func read(_ index: Int) -> Int {
            Scope.current?.note([region(index)])
            return numbers.withLock { $0[index] }
        }

        func add(_ index: Int) {
            numbers.withLock { $0[index] += 1 }
            engine.enterNow { $0.changed([region(index)], .regionChanged) }
        }
    }

    /// Requests 0 to 3 return a number, requests 4 to 7 the sum of two others.
    private struct Sum: QueryRequest {
        typealias Value = Int
        let id: Int
        let source: Source
        let find: @Sendable (Int) -> (Entry, Settings)

        func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
            guard id >= 4 else { return source.read(id) }
            var sum = 0
            for inner in [id - 4, (id - 3) % 4] {
                let (entry, settings) = find(inner)
                sum += try await source.engine.fetch(entry, settings, takesFresh: true).unboxed(as: Int.self)
            }
            return sum
        }

        static func == (left: Sum, right: Sum) -> Bool { left.id == right.id }
        func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }

    private static func find(_ id: Int, _ source: Source) -> (Entry, Settings) {
        let request = Sum(id: id, source: source) { find($0, source) }
        var context = QueryContext()
        context.ttl = .infinity
        let settings = Settings(RequestSettings(request, context))
        return (source.engine.entry(for: request.identity, ["sum", id], Typing<Sum.State>.shared), settings)
    }

    private static let seconds = ProcessInfo.processInfo.environment["QUERYKIT_LONG"] == nil ? 1 : 60

    @Test func `R17 R18 R29 threads that change, read and leave at once lose no change`() async throws {
        let engine = Engine(clock: SystemClock())
        let source = Source(engine)
        let observed = Lock<[QuerySubscription]>([])
        for id in 0..<8 {
            let (entry, settings) = Self.find(id, source)
            observed.withLock { $0.append(engine.subscribe(entry, settings) { _ in }) }
        }
        let end = SystemClock().now.advanced(by: .seconds(Self.seconds))
        await withTaskGroup(of: Void.self) { group in
            for seed in 0..<16 {
                group.addTask {
                    var dice = Dice(seed: seed)
                    while SystemClock().now < end {
                        let id = dice.roll(8)
                        let (entry, settings) = Self.find(id, source)
                        switch dice.roll(9) {
                        case 0, 1: source.add(dice.roll(4))
                        case 2: _ = try? await engine.fetch(entry, settings, takesFresh: dice.roll(2) == 0)
                        case 3: Task { try await engine.fetch(entry, settings) }.cancel()
                        case 4: engine.subscribe(entry, settings) { _ in }.cancel()
                        case 5: engine.enterNow { $0.invalidate(.pattern("sum/**"), .manual) }
                        case 6: _ = engine.state(entry)
                        case 7: engine.enterNow { $0.reset([entry]) }
                        default: engine.enterNow { $0.cancel(entry) }
                        }
                    }
                }
            }
        }
        // Runs that were cancelled begin again.
        for id in 0..<8 { engine.enterNow { $0.invalidate(.pattern(.path(["sum", id])), .manual) } }
        await engine.settled()
        let numbers = source.numbers.withLock { $0 }
        for id in 0..<8 {
            let state = engine.state(Self.find(id, source).0)
            let expected = id < 4 ? numbers[id] : numbers[id - 4] + numbers[(id - 3) % 4]
            #expect(state.current?.unboxed(as: Int.self) == expected, "request \(id)")
            #expect(state.record.flags.isDisjoint(with: [.invalidated, .fetching]), "request \(id)")
        }
        for subscription in observed.withLock({ $0 }) { subscription.cancel() }
        await engine.settled()
        #expect(engine.enter { $0.live.isEmpty && $0.work == 0 })
    }
}
