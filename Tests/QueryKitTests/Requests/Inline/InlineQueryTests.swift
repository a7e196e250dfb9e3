import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

struct InlineQueryTests {
    private let clock = ManualClock()
    private let client: QueryClient

    init() { client = QueryClient.test(clock: clock) }

    @Test func `a path and a closure make a request, whose value is shared by path and type`() async throws {
        let runs = Lock(0)
        func number(_ id: Int) -> some QueryRequest<Int, QueryState<Int?, Int>> {
            InlineQuery("numbers", id) { _ in
                runs.withLock { $0 += 1 }
                return id * 10
            }.ttl(.infinity)
        }
        #expect(try await client.fetch(number(1)) == 10)
        #expect(try await client.fetch(number(1)) == 10)
        #expect(try await client.fetch(number(2)) == 20)
        #expect(runs.withLock(\.self) == 2)
        #expect(client.value(for: InlineQuery<Int>("numbers", 1)) == 10)
        // Another type of value has another store, and so has a request of another type with the same path.
        #expect(client.value(for: InlineQuery<String>("numbers", 1)) == nil)
        #expect(client.storeCount == 2)
    }

    @Test func `a path as text and its elements are the same path`() {
        #expect(InlineQuery<Int>("trips/all") == InlineQuery<Int>(["trips", "all"]))
        #expect(InlineQuery<Int>("trips", "all") == InlineQuery<Int>("trips/all"))
        #expect(InlineQuery<Int>("trips", 5).path == ["trips", 5])
        #expect(client.store(for: InlineQuery("trips/all") { _ in 1 }) == client.store(for: InlineQuery("trips/all") { _ in 2 }.ttl(.zero)))
    }

    @Test func `a run uses the closure of the caller or observer that caused it`() async throws {
        let received = Recorder<Int?>()
        let first = client.store(for: InlineQuery("number") { _ in 1 })
            .subscribe(with: QueryEventHandler { state, _ in received.note(state.value) })
        await client.settled()
        #expect(received.last == 1)
        #expect(try await client.store(for: InlineQuery("number") { _ in 2 }).fetch() == 2)
        client.invalidate("number")
        await client.settled()
        #expect(received.last == 1)
        // The latest observer's closure is used for runs that the library starts.
        let second = client.store(for: InlineQuery("number") { _ in 3 }).subscribe(with: QueryEventHandler())
        await client.settled()
        client.invalidate("number")
        await client.settled()
        #expect(received.last == 3)
        second.cancel()
        client.invalidate("number")
        await client.settled()
        #expect(received.last == 1)
        first.cancel()
    }

    @Test func `a run that follows an outdated one uses the closure of the caller that waits for it`() async throws {
        let gate = Gate()
        let first = Task { [client] in
            try await client.fetch(
                InlineQuery("number") { _ in
                    try await gate.pass()
                    return 1
                }
            )
        }
        await gate.holds()
        client.invalidate("number")
        let second = Task { [client] in try await client.fetch(InlineQuery("number") { _ in 2 }) }
        let core = client.store(for: InlineQuery<Int>("number")).core
        while core.contents.withLock({ $0.waiters.count }) < 2 { await Task.yield() }
        gate.open()
        #expect(try await first.value == 1)
        #expect(try await second.value == 2)
    }

    // MARK: Without a closure

    @Test func `an inline query without a closure addresses the store`() async throws {
        let address = InlineQuery<Int>("number")
        client.setValue(5, for: address)
        #expect(client.value(for: address) == 5)
        #expect(client.updateValue(for: address) { $0 += 1 })
        #expect(client.store(for: InlineQuery("number") { _ in 0 }).value == 6)
    }

    @Test func `a fetch throws if no closure is known, and changes nothing`() async throws {
        let address = InlineQuery<Int>("number")
        client.setValue(5, for: address)
        let error = await #expect(throws: QueryError.self) { try await client.store(for: address).fetch() }
        #expect(error?.code == .invalidParameters && error?.path == "number")
        #expect(
            error?.message
                == "The query number has no closure. Write InlineQuery(path) { context in … }, or observe a query with this path that has one."
        )
        #expect(client.value(for: address) == 5)
    }

    @Test func `without a closure an observer starts no run, but a run can use another observer's closure`() async throws {
        let address = client.store(for: InlineQuery<Int>("number"))
        let recorder = StateRecorder(address)
        client.invalidate("number", refetch: .all)
        await client.settled()
        #expect(address.status.isIdle)
        let owner = client.store(for: InlineQuery("number") { _ in 7 }).subscribe(with: QueryEventHandler())
        await client.settled()
        #expect(address.value == 7)
        #expect(try await address.fetch() == 7)
        // The latest observer has no closure.
        let last = client.store(for: InlineQuery<Int>("number")).subscribe(with: QueryEventHandler())
        client.invalidate("number")
        await client.settled()
        #expect(address.valueUpdateCount == 4)
        #expect(address.error == nil)
        withExtendedLifetime((recorder, owner, last)) {}
    }

    // MARK: Closures

    @Test(arguments: [false, true])
    func `a closure is released with its last observer`(isModified: Bool) async throws {
        let mortal = Lock<DeinitObserver?>(nil)
        let isReleased = SharedFlag()
        mortal.withLock { $0 = DeinitObserver { isReleased.raise() } }
        func request() -> InlineQuery<Int> {
            let held = mortal.withLock(\.self)
            return InlineQuery("number") { _ in held == nil ? 0 : 1 }
        }
        let subscriptions: [QuerySubscription]
        if isModified {
            let store = client.store(for: request().ttl(.seconds(5)).keepingPrevious().tagged("tag").retry(limit: 2))
            subscriptions = [store.subscribe(with: QueryEventHandler()), store.subscribe(with: QueryEventHandler())]
        } else {
            subscriptions = [client.store(for: request()).subscribe(with: QueryEventHandler())]
        }
        await client.settled()
        mortal.withLock { $0 = nil }
        #expect(client.value(for: InlineQuery<Int>("number")) == 1)
        #expect(!isReleased.isRaised)
        for subscription in subscriptions { subscription.cancel() }
        await client.settled()
        #expect(isReleased.isRaised)
        // No closure is left to fetch with, so an invalidation only marks.
        client.invalidate("number", refetch: .all)
        await client.settled()
        #expect(client.store(for: InlineQuery<Int>("number")).error == nil)
        #expect(client.value(for: InlineQuery<Int>("number")) == 1)
    }

    @Test func `a closure is released after the call that passed it`() async throws {
        let isReleased = SharedFlag()
        do {
            let mortal = DeinitObserver { isReleased.raise() }
            _ = try await client.fetch(InlineQuery("number") { _ in mortal == mortal ? 1 : 0 })
        }
        await client.settled()
        #expect(isReleased.isRaised)
    }

    @Test func `a handle kept from an earlier session fetches with its closure`() async throws {
        let store = client.store(for: InlineQuery("number") { context in context.session ?? "none" })
        let recorder = StateRecorder(store)
        await client.settled()
        client.reset(session: "Ada")
        await client.settled()
        #expect(store.value == "Ada")
        withExtendedLifetime(recorder) {}
    }

    @Test func `keepingPrevious shows the value of a request whose path has the same beginning`() async throws {
        func search(_ text: String) -> some QueryRequest<String, QueryState<String?, String>> {
            InlineQuery("search", text) { _ in text }.keepingPrevious()
        }
        let first = StateRecorder(client.store(for: search("a")))
        await client.settled()
        #expect(client.store(for: search("b")).value == "a")
        #expect(client.store(for: InlineQuery("names", 1) { _ in "" }.keepingPrevious()).value == nil)
        withExtendedLifetime(first) {}
    }

    // MARK: Mistakes

    @Test func `R32 two closures from different places for one path are reported once, with both places`() async throws {
        let mistakes = Recorder<QueryMistake>()
        let client = QueryClient.test(configuration: .recording(mistakes))
        let line = #line + 1
        let first = client.store(for: InlineQuery("number") { _ in 1 })
        for _ in 0..<3 { _ = try await client.fetch(InlineQuery("number") { _ in 2 }) }
        #expect(mistakes.kinds == [.inlineClosures])
        #expect(mistakes.last?.path == "number")
        #expect(
            mistakes.last?.message == """
                The inline requests number at \(#fileID):\(line) and \(#fileID):\(line + 1) have the same path and type, so they share one \
                value, although their closures differ. Give one of them another path, or create the request in one place and use it in both.
                """
        )
        withExtendedLifetime(first) {}
    }

    @Test func `R32 closures from one place, of other types, or used one after the other are not reported`() async throws {
        let mistakes = Recorder<QueryMistake>()
        let client = QueryClient.test(configuration: .recording(mistakes))
        let stores = (1...3).map { number in client.store(for: InlineQuery("number") { _ in number }) }
        let text = client.store(for: InlineQuery("number") { _ in "text" })
        let address = client.store(for: InlineQuery<Int>("number"))
        _ = try await client.fetch(InlineQuery("other") { _ in 1 })
        await client.settled()
        _ = try await client.fetch(InlineQuery("other") { _ in 2 })
        #expect(mistakes.kinds == [])
        withExtendedLifetime((stores, text, address)) {}
    }

    // MARK: Other features

    @Test func `a closure can yield intermediate values`() async throws {
        let gate = Gate()
        let recorder = StateRecorder(
            client.store(
                for: InlineQuery("report") { _, continuation in
                    continuation.yield("draft")
                    try await gate.pass()
                    return "report"
                }
            )
        )
        await gate.holds()
        #expect(await recorder.first { $0.value != nil }?.value == "draft")
        gate.open()
        await client.settled()
        #expect(recorder.states.last?.value == "report")
    }

    @Test func `an inline list of pages keeps as many pages as it is limited to`() async throws {
        let list = InlineQuery("posts", firstPage: 0, maxPages: 2) { page, _ in
            page.id < 5 ? page.id + 1 : nil
        } fetchPage: { number, _ in
            [number * 10, number * 10 + 1]
        }
        let store = client.store(for: list)
        #expect(try await store.fetch().map(\.value) == [[0, 1]])
        #expect(try await store.fetchNextPage().map(\.id) == [0, 1])
        #expect(try await store.fetchNextPage().map(\.id) == [1, 2])
        #expect(try await store.fetch().map(\.id) == [1, 2])
        await store.prefetch(pages: 5)
        #expect(store.value?.map(\.id) == [1, 2])
    }

    @MainActor @Test func `an inline list of pages takes modifiers, and keeps the previous list while another one loads`() async throws {
        let gate = Gate()
        @Sendable func letters(of word: String) -> some QueryRequest<
            QueryPages<Int, Character>, QueryState<QueryPages<Int, Character>?, QueryPages<Int, Character>>
        > {
            InlineQuery("letters", word, firstPage: 0) { last, _ in
                last.id + 1 < word.count ? last.id + 1 : nil
            } fetchPage: { index, _ in
                try await gate.pass()
                return Array(word)[index]
            }
            .ttl(.infinity)
            .keepingPrevious()
        }
        gate.open()
        let mirror = QueryMirror(letters(of: "oat"), client: client)
        await client.settled()
        _ = try await mirror.fetchNextPage()
        #expect(mirror.value?.map(\.value) == ["o", "a"])
        #expect(!mirror.store.isStale)
        gate.close()
        mirror.show(letters(of: "rye"))
        #expect(mirror.value?.map(\.value) == ["o", "a"])
        #expect(mirror.isPlaceholder)
        gate.open()
        await client.settled()
        #expect(mirror.value?.map(\.value) == ["r"])
    }

    @Test func `an inline list of pages can have pages before the first`() async throws {
        let store = client.store(
            for: InlineQuery("days", firstPage: 10, nextPage: { _, _ in nil }, previousPage: { page, _ in page.id - 1 }) { day, _ in day }
        )
        _ = try await store.fetch()
        #expect(try await store.fetchPreviousPage().map(\.id) == [9, 10])
    }

    @Test func `an error thrown by the closure is the state's error`() async throws {
        let store = client.store(for: InlineQuery<Int>("number") { _ in throw TestError() })
        await #expect(throws: TestError.self) { try await store.fetch() }
        #expect(store.error is TestError)
    }
}

private struct TestError: Error {}
