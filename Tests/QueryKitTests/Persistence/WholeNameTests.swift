import Foundation
import QueryKit
import QueryKitTesting
import TestSupport
import Testing

/// A request whose type has an argument.
struct Detail<Item: Codable & Hashable & Sendable>: QueryRequest {
    let item: Item

    var path: QueryPath { "detail" }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Item>) async throws -> Item { item }
}

/// A wrapper that shares the store of its base.
struct Alias<Base: QueryRequest>: QueryRequest where Base.State == QueryState<Base.Value?, Base.Value> {
    let base: Base

    var path: QueryPath { base.path }
    var identity: QueryIdentity { base.identity }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Base.Value>) async throws -> Base.Value {
        try await base.fetch(in: context, with: continuation)
    }
}

enum Kind: Hashable, Sendable {
    enum Other: Hashable, Sendable { case all }
    case all
}

private struct Hidden: QueryRequest {
    var path: QueryPath { "hidden" }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await context.backend.fetch(1, context, continuation)
    }
}

private struct Secret: Codable, Hashable, Sendable {}

/// A request whose default path contains a private type.
struct Dated: QueryRequest {
    private struct Day: Hashable, Sendable { let number: Int }

    private let day = Day(number: 1)

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await context.backend.fetch(1, context, continuation)
    }
}

struct WholeNameTests {
    private let cache = MemoryQueryCache(clock: ManualClock(date: Launch.day))

    /// The value that a launch gets, and whether it was stored. A stored value has the date of an earlier launch.
    private func fetch<Value: Codable & Equatable>(
        _ request: some QueryRequest<Value, QueryState<Value?, Value>>,
        in launch: Launch = Launch(.seconds(5))
    ) async throws -> (value: Value, isStored: Bool) {
        let request = request.ttl(.infinity).persisted(in: cache)
        let value = try await launch.client.fetch(request)
        await launch.client.settled()
        return (value, launch.client.store(for: request).valueUpdatedAt == Launch.day)
    }

    /// Checks that each request reads the entry that it has written, and not that of the other.
    private func check<Value: Codable & Equatable, Other: Codable & Equatable>(
        _ request: some QueryRequest<Value, QueryState<Value?, Value>>,
        _ other: some QueryRequest<Other, QueryState<Other?, Other>>
    ) async throws {
        try await cache.clear()
        let value = try await fetch(request, in: Launch()).value
        let foreign = try await fetch(other)
        #expect(!foreign.isStored)
        let own = try await fetch(request)
        #expect(own.isStored && own.value == value)
    }

    @Test func `R36 requests with one short name don't read each other's entries in another launch or in one client`() async throws {
        try await check(Food.List(), Trips.List())
        try await check(Food.All(), Trips.All())
        try await check(Detail(item: Food.Item(name: "")), Detail(item: Trips.Item(name: "")))
        let launch = Launch()
        #expect(try await fetch(Food.All(), in: launch).value.map(\.name) == ["rice"])
        #expect(try await fetch(Trips.All(), in: launch).value.map(\.name) == ["Oslo"])
    }

    @Test func `R36 inline queries whose values or path elements differ only in their types don't read each other's entries`() async throws
    {
        try await check(InlineQuery("all") { _ in [Food.Item]() }, InlineQuery("all") { _ in [Trips.Item]() })
        try await check(InlineQuery("kind", Kind.all) { _ in 1 }, InlineQuery("kind", Kind.Other.all) { _ in 2 })
        try await check(InlineQuery("kind", "5", 5) { _ in 1 }, InlineQuery("kind", 5, "5") { _ in 2 })
    }

    @Test func `R36 an archive gives no value to a request with the same short name`() async throws {
        let first = Launch()
        _ = try await first.client.fetch(Food.List().archived())
        _ = try await first.client.fetch(Food.All().archived())
        let next = Launch()
        await next.client.hydrate(from: try await first.client.dehydrate())
        #expect(next.client.store(for: Trips.List().archived()).value == nil)
        #expect(next.client.store(for: Trips.All().archived()).value == nil)
        #expect(next.client.store(for: Food.List().archived()).value?.map(\.name) == ["rice"])
        #expect(next.client.store(for: Food.All().archived()).value?.map(\.name) == ["rice"])
    }

    @Test func `R36 a modified or wrapped request has the entry of its base`() async throws {
        _ = try await fetch(Food.List().retry(limit: 1), in: Launch())
        #expect(try await fetch(Food.List().keep(for: .seconds(1))).isStored)
        #expect(try await fetch(Alias(base: Food.List())).isStored)
    }

    @Test func `R36 a renamed type with the former name and path reads its entries`() async throws {
        struct Notes: QueryRequest {
            static let storedName = "notes"
            var path: QueryPath { "notes" }
            func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { 1 }
        }
        struct Remarks: QueryRequest {
            static let storedName = "notes"
            var path: QueryPath { "notes" }
            func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { 2 }
        }
        _ = try await fetch(Notes(), in: Launch())
        let read = try await fetch(Remarks())
        #expect(read.isStored && read.value == 1)
    }

    private func error(of request: some QueryRequest<Int, QueryState<Int?, Int>>, in launch: Launch) async -> QueryError? {
        await #expect(throws: QueryError.self) { try await launch.client.fetch(request) }
    }

    @Test func `R36 a second type with the same stored name is refused, and the first one keeps its entry`() async throws {
        struct Notes: QueryRequest {
            static let storedName = "texts"
            var path: QueryPath { "texts" }
            func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { 1 }
        }
        struct Remarks: QueryRequest {
            static let storedName = "texts"
            var path: QueryPath { "texts" }
            func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { 2 }
        }
        let launch = Launch()
        _ = try await fetch(Notes(), in: launch)
        let errors = [
            await error(of: Remarks().persisted(in: cache), in: launch), await error(of: Remarks().archived(), in: launch),
            await error(of: Remarks().retry(limit: 1).persisted(in: cache), in: launch),
        ]
        for error in errors {
            #expect(error?.code == .invalidParameters && error?.path == "texts")
            for name in ["Notes", "Remarks", "texts", "storedName"] { #expect(error?.message.contains(name) == true) }
        }
        launch.client.setValue(2, for: Remarks().persisted(in: cache))
        await launch.client.settled()
        #expect(try await launch.client.fetch(Remarks()) == 2)
        let read = try await fetch(Notes())
        #expect(read.isStored && read.value == 1)
    }

    private var local: some QueryRequest<Int, QueryState<Int?, Int>> {
        struct Local: QueryRequest {
            var path: QueryPath { "local" }

            func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
                try await context.backend.fetch(1, context, continuation)
            }
        }
        return Local()
    }

    @Test func `R36 a persisted request with a private or local type in its name is refused before any work`() async throws {
        let launch = Launch()
        func refusal<Value: Codable>(_ request: some QueryRequest<Value, QueryState<Value?, Value>>) async -> String? {
            var messages: Set<String?> = []
            for _ in 1...2 {
                let error = await #expect(throws: QueryError.self) { try await launch.client.fetch(request.persisted(in: cache)) }
                #expect(error?.code == .invalidParameters && error?.path == request.path)
                messages.insert(error?.message)
            }
            let error = await #expect(throws: QueryError.self) { try await launch.client.fetch(request.archived()) }
            messages.insert(error?.message)
            #expect(messages.count == 1)
            return messages.first ?? nil
        }
        func message(_ name: String, _ member: String) -> String {
            "\(name) can't be stored under the name of a private or local type, because that name differs in each launch. "
                + "Declare \(member) in it, or make the type internal."
        }
        let name = #"`static let storedName = "…"`"#
        #expect(await refusal(Hidden()) == message("Hidden", name))
        #expect(await refusal(local) == message("WholeNameTests.Local", name))
        #expect(await refusal(Detail(item: Secret())) == message("Detail<Secret>", name))
        #expect(await refusal(Dated()) == message("Dated", "`path`"))
        #expect(await refusal(InlineQuery("secret") { _ in Secret() })?.hasPrefix("InlineQuery<Secret>(String) can't be stored") == true)
        await launch.client.settled()
        #expect(launch.backend.count == 0 && cache.count == 0)
        #expect(try await launch.client.dehydrate().count == 0)
        #expect(try await launch.client.fetch(Hidden()) == 1)
    }

    @Test func `R36 a value that is written for such a request is not stored, and an event reports it`() async throws {
        let client = Launch().client
        let events = CacheEvents(of: client)
        client.setValue(5, for: Hidden().persisted(in: cache))
        await client.settled()
        let event = await events.first(1).first
        #expect(event?.kind == .storageFailed && (event?.error as? QueryError)?.code == .invalidParameters)
        #expect(cache.count == 0)
        #expect(try await client.dehydrate().count == 0)
    }
}
