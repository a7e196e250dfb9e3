import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// A value with an identity, equal to others with the same name.
private final class Note: Equatable, Sendable {
    let name: String
    init(_ name: String) { self.name = name }
    static func == (left: Note, right: Note) -> Bool { left.name == right.name }
}

private struct FetchNote: QueryRequest {
    func fetch(in context: QueryContext, with continuation: QueryContinuation<Note>) async throws -> Note {
        _ = try await context.backend.fetch(1, context, QueryContinuation { _ in })
        return Note("same")
    }
}

/// A value whose comparison can be interrupted by another write.
private struct Compared: Equatable, Sendable {
    let number: Int
    let writer: String
    @TaskLocal static var meanwhile: (@Sendable () -> Void)?

    static func == (left: Compared, right: Compared) -> Bool {
        let equal = left.number == right.number
        if let act = meanwhile { $meanwhile.withValue(nil) { act() } }
        return equal
    }
}

private struct FetchCompared: QueryRequest {
    func fetch(in context: QueryContext, with continuation: QueryContinuation<Compared>) async throws -> Compared {
        Compared(number: 1, writer: "fetch")
    }
}

extension Compositions {
    /// Which value is shown after a failure, and which of two equal values is kept.
    struct ValueRuleTests {
        private func failing() -> TestBench { TestBench { _ in throw TestError() } }

        // MARK: Equal values

        @Test(arguments: [true, false], [true, false])
        func `R5 R19 if two threads write equal values at once, the first is kept and received once`(
            _ isObserved: Bool,
            _ isQuiet: Bool
        ) async throws {
            let client = QueryClient(configuration: .isolated)
            let store = client.store(for: FetchCompared().ttl(.infinity))
            _ = try await store.fetch()
            let received = Recorder<String>()
            let subscription = isObserved ? store.subscribe(with: .init { state, _ in received.note(state.value?.writer ?? "") }) : nil
            if !isQuiet { store.core.contents.withBasis { basis, _ in _ = basis.needRare() } }
            let isOvertaken = SharedFlag()
            let overtake: @Sendable () -> Void = {
                if isOvertaken.raise() { store.setValue(Compared(number: 2, writer: "other")) }
            }
            Compared.$meanwhile.withValue(overtake) {
                store.setValue(Compared(number: 2, writer: "this"))
            }
            #expect(isOvertaken.isRaised)
            #expect(store.value?.writer == "other")
            if isObserved { #expect(received.all.filter { $0 != "fetch" } == ["other"]) }
            subscription?.cancel()
        }

        // MARK: Placeholders

        @Test func `R2 a placeholder disappears when the first run fails`() async {
            let bench = failing()
            let store = bench.client.store(for: Number(1).placeholder(7).retry(limit: 0))
            let subscription = store.record(Recorder())
            await bench.client.settled()
            #expect(store.error is TestError)
            #expect(store.value == nil && !store.isPlaceholder)
            subscription.cancel()
        }

        @Test func `R2 the previous request's value disappears when the first run fails`() async throws {
            let bench = TestBench { call in
                if call.id == 2 { throw TestError() }
                return 7
            }
            func request(_ id: Int) -> some QueryRequest<Int, Number.State> { Number(id).keepingPrevious().retry(limit: 0) }
            _ = try await bench.client.fetch(request(1))
            let store = bench.client.store(for: request(2))
            let seen = Recorder<String>()
            let subscription = store.record(seen)
            await bench.client.settled()
            #expect(seen.all == ["idle shows 7", "loading shows 7", "failed(broken) 1x"])
            subscription.cancel()
        }

        @Test func `R2 a placeholder stays while attempts are retried`() async {
            let bench = failing()
            let store = bench.client.store(for: Number(1).placeholder(7).retry(limit: 2, backoff: .constant(.seconds(1))))
            let subscription = store.record(Recorder())
            await bench.client.settled()
            #expect(store.value == 7 && store.isPlaceholder && store.failureCount == 1)
            subscription.cancel()
        }

        @Test func `R7 a placeholder returns when the first run is cancelled`() async {
            let gate = Gate()
            let bench = TestBench { _ in
                try await gate.pass()
                return 1
            }
            let store = bench.client.store(for: Number(1).placeholder(7))
            let subscription = store.record(Recorder())
            await gate.arrived()
            subscription.cancel()
            await bench.client.settled()
            #expect(store.value == 7 && store.isPlaceholder && store.status.isIdle)
        }

        // MARK: Invalidations

        @Test func `R2 a failed run does not clear an invalidation`() async throws {
            let bench = TestBench { call in
                if call.number > 1 { throw TestError() }
                return call.number
            }
            let store = bench.client.store(for: Number(1).ttl(.infinity).retry(limit: 0))
            let subscription = store.record(Recorder())
            await bench.client.settled()
            store.invalidate()
            await bench.client.settled()
            #expect(store.value == 1 && store.error is TestError && store.isStale)
            #expect(store.isInvalidated)
            subscription.cancel()
        }

        @Test func `R2 a caller's failed run does not clear an invalidation`() async throws {
            let bench = TestBench { call in
                if call.number > 1 { throw TestError() }
                return call.number
            }
            let store = bench.client.store(for: Number(1).ttl(.infinity))
            _ = try await store.fetch()
            store.invalidate()
            await #expect(throws: TestError.self) { try await store.fetch() }
            #expect(store.isInvalidated)
        }

        @Test func `R2 writing a value after a failure clears the invalidation and the error`() async throws {
            let bench = failing()
            let store = bench.client.store(for: Number(1).ttl(.infinity))
            store.setValue(1)
            store.invalidate()
            _ = try? await store.fetch()
            store.setValue(2)
            #expect(!store.isInvalidated && !store.isStale && store.error == nil)
        }

        // MARK: Equal values

        @Test func `R5 the old value is kept if a run returns an equal one`() async throws {
            let bench = TestBench()
            let store = bench.client.store(for: FetchNote())
            let first = try await store.fetch()
            _ = try await store.fetch()
            #expect(bench.backend.count == 2)
            #expect(store.value === first)
        }

        @Test func `R5 the old value is kept if an equal one is written`() async throws {
            let store = TestBench().client.store(for: FetchNote())
            let first = Note("same")
            store.setValue(first)
            store.setValue(Note("same"))
            #expect(store.value === first)
        }

        @Test func `R5 with notifyEqual the new one of two equal values is kept`() async throws {
            let store = TestBench().client.store(for: FetchNote().notifyEqual())
            let second = Note("same")
            store.setValue(Note("same"))
            store.setValue(second)
            #expect(store.value === second)
        }

        @Test func `R5 an equal value updates the time without a notification`() async throws {
            let bench = TestBench { _ in 1 }
            let store = bench.client.store(for: Number(1))
            store.setValue(1)
            let seen = Recorder<String>()
            let subscription = store.record(seen)
            await bench.client.settled()
            _ = seen.take()
            bench.clock.advance(by: .seconds(5))
            store.setValue(1)
            #expect(seen.all == [])
            #expect(store.valueUpdatedAt == bench.clock.date)
            subscription.cancel()
        }
    }
}
