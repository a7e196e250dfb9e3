import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

struct PageRefetchTests {
    @Test func `R25 a refetch fetches as many pages as there were, in order, and publishes once`() async throws {
        let reading = Reading()
        let store = try await reading.store(pages: 3)
        for id in 1...3 { reading.library.set(id, [id * 100, id * 100 + 1]) }
        let seen = Recorder<[Int]>()
        let subscription = store.subscribe(with: QueryEventHandler { state, _ in seen.note(state.value?.items ?? []) })
        await reading.client.settled()
        #expect(reading.library.take() == [1, 2, 3])
        let (old, new) = ([10, 11, 20, 21, 30, 31], [100, 101, 200, 201, 300, 301])
        #expect(seen.take() == [old, old, new])
        subscription.cancel()
    }

    @Test(arguments: ["invalidate", "refetch", "subscribe", "write"])
    func `R25 automatic runs refetch all pages instead of only the first`(reason: String) async throws {
        let reading = Reading()
        let store = try await reading.store(pages: 3)
        var subscription: QuerySubscription? = store.observe()
        await reading.client.settled()
        _ = reading.library.take()
        switch reason {
        case "invalidate": reading.client.invalidate("**")
        case "refetch": reading.client.refetch("**")
        case "subscribe":
            subscription = nil
            subscription = store.observe()
        default:
            let gate = Gate()
            reading.library.behave { _, _ in try await gate.pass() }
            reading.client.refetch("**")
            await gate.arrived()
            _ = reading.library.take()
            store.updateValue { $0.updatePages { $0[0] += 1 } }
            gate.open()
        }
        await reading.client.settled()
        #expect(store.ids == [1, 2, 3])
        #expect(reading.library.take().suffix(3) == [1, 2, 3])
        #expect(subscription != nil)
    }

    @Test func `R25 a refetch computes the page ids again and stops early if the list has become shorter`() async throws {
        let reading = Reading()
        let store = try await reading.store(pages: 4)
        reading.library.set(2, [20])
        _ = try await store.fetch()
        #expect(store.ids == [1, 2])
        #expect(!store.hasNextPage)
        #expect(reading.library.take() == [1, 2])

        let chain = reading.client.store(for: Chain())
        for (id, next) in [(1, 2), (2, 3), (3, 0), (5, 6), (6, 7)] { reading.library.set(id, [next]) }
        for _ in 0..<3 { try await chain.fetchNextPage() }
        #expect(chain.ids == [1, 2, 3])
        reading.library.set(1, [5])
        _ = try await chain.fetch()
        #expect(chain.ids == [1, 5, 6])
        #expect(chain.value?.nextPageID == 7)
    }

    @Test func `R11 R25 a retry continues with the page that failed`() async throws {
        let reading = Reading()
        _ = try await reading.store(pages: 4)
        let store = reading.client.store(for: Shelf().retry(limit: 2, backoff: .constant(.seconds(1))))
        reading.library.behave { id, number in if number == 3 || number == 4 { throw TestError("\(id)") } }
        let subscription = store.observe()
        await reading.client.settled()
        #expect(store.failureCount == 1)
        reading.clock.advance(by: .seconds(1))
        await reading.client.settled()
        #expect(store.failureCount == 2)
        reading.clock.advance(by: .seconds(1))
        await reading.client.settled()
        #expect(reading.library.take() == [1, 2, 3, 3, 3, 4])
        #expect(store.ids == [1, 2, 3, 4])
        #expect(store.errorUpdateCount == 0)
        subscription.cancel()
    }

    @Test func `R25 a failed refetch keeps all pages`() async throws {
        let reading = Reading()
        let store = try await reading.store(pages: 3)
        reading.library.set(1, [12, 13])
        reading.library.behave { id, _ in if id == 3 { throw TestError() } }
        await #expect(throws: TestError()) { try await store.fetch() }
        #expect(store.value?.items == [10, 11, 20, 21, 30, 31])
    }

    @Test func `R7 R25 a run can be cancelled between two pages`() async throws {
        let reading = Reading()
        let store = try await reading.store(pages: 3)
        // The source ignores cancellation, so only the run itself can stop.
        let gate = Gate(ignoresCancellation: true)
        reading.library.behave { id, _ in if id == 2 { try await gate.pass() } }
        // A run outside of the store, so that the test can wait for the end of a cancelled run.
        let run = Task {
            let start = RunStart(number: 99, cause: .manual, origin: .caller)
            let run = StoreRun(of: store.core, start: start, settings: store.settings, asOf: .none, rollback: StateBox())
            return await RunScope.$current.withValue(.run(run)) {
                await Result { try await Shelf().fetch(in: store.context, with: QueryContinuation { _ in }) }
            }
        }
        await gate.arrived()
        run.cancel()
        gate.open()
        let result = await run.value
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(reading.library.take() == [1, 2])
    }

    @Test func `R7 R25 an abandoned refetch stops, and the list is kept`() async throws {
        let reading = Reading()
        let store = try await reading.store(pages: 3)
        reading.library.set(1, [12, 13])
        let gate = Gate()
        reading.library.behave { id, _ in if id == 2 { try await gate.pass() } }
        let fetch = Task { try await store.fetch() }
        await gate.arrived()
        fetch.cancel()
        await #expect(throws: CancellationError.self) { try await fetch.value }
        #expect(!store.isFetching)
        #expect(store.value?.items == [10, 11, 20, 21, 30, 31])
    }

    @Test func `R7 R25 cancelling a page fetch keeps the list`() async throws {
        let reading = Reading()
        let store = try await reading.store(pages: 2)
        let gate = Gate()
        reading.library.behave { _, _ in try await gate.pass() }
        let next = Task { try await store.fetchNextPage() }
        await gate.arrived()
        store.cancel()
        await #expect(throws: CancellationError.self) { try await next.value }
        #expect(store.ids == [1, 2])
        #expect(!store.isFetchingNextPage && store.hasNextPage)
        gate.open()
        #expect(try await store.fetchNextPage().map(\.id) == [1, 2, 3])
    }

    // MARK: Bad input

    @Test func `R25 a repeated page id ends the list and is reported as an event`() async throws {
        let reading = Reading()
        let events = reading.client.events
        for (id, next) in [(1, 2), (2, 3), (3, 1)] { reading.library.set(id, [next]) }
        let chain = reading.client.store(for: Chain())
        for _ in 0..<3 { try await chain.fetchNextPage() }
        #expect(chain.ids == [1, 2, 3])
        #expect(!chain.hasNextPage)
        let event = await events.first { $0.kind == .pageRepeated }
        #expect(event?.path == chain.path && event?.cause == .nextPage)
        // The page names itself as its next page.
        reading.library.set(1, [1])
        #expect(try await chain.fetch().map(\.id) == [1])
        #expect(!chain.hasNextPage)
        // In a window the cycle can't be detected; each call still adds one page.
        let window = reading.client.store(for: Chain(maxPages: 2))
        reading.library.set(1, [2])
        for _ in 0..<7 { try await window.fetchNextPage() }
        #expect(window.ids == [3, 1])
        #expect(try await window.fetch().map(\.id) == [3, 1])
    }

    @Test func `R25 if the first page no longer exists, the refetch fails and the list is kept`() async throws {
        let reading = Reading()
        let store = try await reading.store(pages: 2)
        reading.library.set(1, nil)
        await #expect(throws: TestError("no page 1")) { try await store.fetch() }
        #expect(store.ids == [1, 2])
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ work: () async throws -> Success) async {
        do { self = .success(try await work()) } catch { self = .failure(error) }
    }
}
