import Dispatch
import Foundation
import QueryKit
import QueryKitTesting
import TestSupport
import Testing

struct ArchiveTests {
    private func request(_ id: Int = 1, version: Int = 1) -> some QueryRequest<Int, QueryState<Int?, Int>> {
        Number(id).ttl(.seconds(60)).archived(version: version)
    }

    private func archive(of launch: Launch = Launch(), _ ids: Range<Int> = 1..<2) async throws -> QueryClientArchive {
        for id in ids { launch.client.setValue(id * 10, for: request(id)) }
        return try await launch.client.dehydrate()
    }

    @Test func `R28 R13 a client is restored in the next launch with its ages and fetches only what is stale`() async throws {
        let data = try await archive(of: Launch(), 1..<4).data()
        let next = Launch(.seconds(59)) { _ in 99 }
        try await next.client.hydrate(from: data)
        let store = next.client.store(for: request(2))
        #expect(store.state.status == .result(.success(20)))
        #expect(store.valueUpdatedAt == Launch.day)
        #expect(store.state.cause == .restored)
        #expect(await next.watch(request(2)) == ["20"])
        next.clock.advance(by: .seconds(1))
        #expect(await next.watch(request(1)) == ["10", "10 fetching", "99"])
        #expect(next.backend.count == 1)
        #expect(next.client.storeCount == 2)
    }

    @Test func `R28 only results of archived requests that match the pattern are archived`() async throws {
        let launch = Launch()
        launch.client.setValue(1, for: Number(7))
        _ = launch.client.store(for: request(8))
        #expect(try await archive(of: launch, 1..<4).count == 3)
        #expect(try await launch.client.dehydrate(matching: ["number", 2]).count == 1)
    }

    @Test func `R28 a store without a result gets its archived value at once, and one with a result keeps it`() async throws {
        let archive = try await archive(of: Launch(), 1..<3)
        let next = Launch()
        let empty = next.client.store(for: request(1))
        next.client.setValue(5, for: request(2))
        await next.client.hydrate(from: archive)
        #expect(empty.value == 10)
        #expect(next.client.store(for: request(2)).value == 5)
    }

    @Test func `R28 values stay encoded until their request is used, and are archived again if it never is`() async throws {
        let archive = try await archive(of: Launch(), 1..<6)
        let next = Launch()
        await next.client.hydrate(from: archive)
        #expect(next.client.storeCount == 0)
        #expect(next.client.store(for: request(1)).value == 10)
        next.client.setValue(21, for: request(2))
        let again = try await next.client.dehydrate()
        #expect(again.count == 5)
        let third = Launch()
        await third.client.hydrate(from: again)
        #expect((1..<6).map { third.client.store(for: request($0)).value } == [10, 21, 30, 40, 50])
    }

    @Test func `R28 an archive of a newer format is rejected with a clear error, and nothing changes`() async throws {
        let text = String(decoding: try await archive().data(), as: UTF8.self)
        #expect(text.contains(#""formatVersion":1"#))
        let newer = text.replacingOccurrences(of: #""formatVersion":1"#, with: #""formatVersion":2"#)
        let next = Launch()
        next.client.setValue(5, for: request())
        let error = await #expect(throws: QueryError.self) { try await next.client.hydrate(from: Data(newer.utf8)) }
        #expect(error?.code == .newerFormat)
        #expect(
            error?.message
                == "The archive has format 2, and this version of the app reads up to 1. Update the app to read it."
        )
        #expect(next.client.store(for: request()).value == 5)
        #expect(next.client.storeCount == 1)
    }

    @Test func `R28 data that is not an archive is rejected with a clear error`() async throws {
        let error = await #expect(throws: QueryError.self) { try await Launch().client.hydrate(from: Data("nonsense".utf8)) }
        #expect(error?.code == .unreadableData)
    }

    @Test func `R28 a broken entry is left out and reported, and the others are restored`() async throws {
        let text = String(decoding: try await archive(of: Launch(), 1..<4).data(), as: UTF8.self)
        let broken = text.replacing(#""path":["number","2"]"#, with: #""path":2"#)
        #expect(broken != text)
        let next = Launch()
        let events = CacheEvents(of: next.client)
        try await next.client.hydrate(from: Data(broken.utf8))
        #expect((1..<4).map { next.client.store(for: request($0)).value } == [10, nil, 30])
        #expect(try await QueryClientArchive(data: Data(broken.utf8)).unreadableCount == 1)
        let event = await events.first(1).first
        #expect(event?.kind == .entryDropped)
        #expect(
            (event?.error as? QueryError)?.message
                == "Entries of the archive that can't be read are ignored: 1. Their requests are fetched again."
        )
    }

    @Test func `R28 a value that can't be decoded is left out and reported, and its request is fetched`() async throws {
        let text = String(decoding: try await archive().data(), as: UTF8.self)
        let broken = text.replacing(Data("10".utf8).base64EncodedString(), with: Data("{]".utf8).base64EncodedString())
        #expect(broken != text)
        let next = Launch { _ in 99 }
        let events = CacheEvents(of: next.client)
        try await next.client.hydrate(from: Data(broken.utf8))
        #expect(await next.watch(request()) == ["idle", "loading", "99"])
        let event = await events.first(1).first
        #expect(event?.kind == .entryDropped)
        #expect(event?.path == ["number", "1"])
    }

    @Test func `R28 values of other versions and sessions are not restored, and those of a session wait for it`() async throws {
        let archive = try await archive(of: Launch(session: "a"))
        let updated = Launch(session: "a", appVersion: "2.0")
        let events = CacheEvents(of: updated.client)
        await updated.client.hydrate(from: archive)
        #expect(updated.client.store(for: request()).value == nil)
        let event = await events.first(1).first
        #expect(event?.kind == .entryDropped)
        #expect(
            (event?.error as? QueryError)?.message
                == "Entries of the archive that belong to another version of the app are ignored: 1. Their requests are fetched again."
        )
        let next = Launch(session: "b")
        await next.client.hydrate(from: archive)
        #expect(next.client.store(for: request()).value == nil)
        #expect(next.client.store(for: request(version: 2)).value == nil)
        next.client.reset(session: "a")
        #expect(next.client.store(for: request(version: 2)).value == nil)
        #expect(next.client.store(for: request()).value == 10)
    }

    @Test func `R28 R17 archived values invalidated before or after the restore are stale, and removed ones are gone`() async throws {
        let archive = try await archive(of: Launch(), 1..<4)
        let next = Launch { _ in 99 }
        next.client.invalidate(["number", 1])
        await next.client.hydrate(from: archive)
        next.client.invalidate(["number", 2])
        next.client.remove(["number", 3])
        #expect(await next.watch(request(1)) == ["10 invalidated", "10 fetching invalidated", "99"])
        #expect(next.client.store(for: request(2)).isStale)
        #expect(next.client.store(for: request(3)).value == nil)
    }

    @Test func `R28 an invalidated value is still invalidated when restored from an archive`() async throws {
        let launch = Launch()
        _ = try await archive(of: launch)
        launch.client.invalidate(.all)
        let next = Launch()
        await next.client.hydrate(from: try await launch.client.dehydrate())
        let store = next.client.store(for: request())
        #expect(store.value == 10)
        #expect(store.isStale)
    }

    @Test @MainActor func `R28 1,000 values are restored off the caller's actor, even into existing stores`() async throws {
        let former = QueryClient(configuration: .isolated)
        for id in 0..<1_000 { former.setValue(Watched(id: id), for: WatchedRequest(id: id).archived()) }
        let data = try await former.dehydrate().data()
        DispatchQueue.main.setSpecific(key: Watched.mainQueue, value: true)
        let next = QueryClient(configuration: .isolated)
        let stores = (0..<1_000).map { next.store(for: WatchedRequest(id: $0).archived()) }
        let coded = Recorder<Bool>()
        try await Watched.$coded.withValue(coded) { try await next.hydrate(from: data) }
        #expect(stores.indices.allSatisfy { stores[$0].value?.id == $0 })
        #expect(coded.count == 1_000)
        #expect(!coded.all.contains(true))
    }

    @Test @MainActor func `R28 1,000 values are encoded one by one off the caller's actor, and encoding can be cancelled`() async throws {
        DispatchQueue.main.setSpecific(key: Watched.mainQueue, value: true)
        let client = QueryClient(configuration: .isolated)
        for id in 0..<1_000 { client.setValue(Watched(id: id), for: WatchedRequest(id: id).archived()) }
        let coded = Recorder<Bool>()
        #expect(try await Watched.$coded.withValue(coded) { try await client.dehydrate() }.count == 1_000)
        #expect(coded.count == 1_000)
        #expect(!coded.all.contains(true))
        let gate = Gate()
        let cancelled = Watched.$coded.withValue(coded) {
            Task {
                try? await gate.pass()
                return try await client.dehydrate()
            }
        }
        cancelled.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(coded.count == 1_000)
    }
}

/// A value that records whether the main actor encodes or decodes it.
private struct Watched: Codable {
    @TaskLocal static var coded: Recorder<Bool>?
    static let mainQueue = DispatchSpecificKey<Bool>()
    var id: Int

    init(id: Int) { self.id = id }

    init(from decoder: any Decoder) throws {
        Self.note()
        id = try decoder.singleValueContainer().decode(Int.self)
    }

    func encode(to encoder: any Encoder) throws {
        Self.note()
        var container = encoder.singleValueContainer()
        try container.encode(id)
    }

    private static func note() { coded?.note(DispatchQueue.getSpecific(key: mainQueue) == true) }
}

private struct WatchedRequest: QueryRequest {
    static let storedName = "WatchedRequest"

    let id: Int

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Watched>) async throws -> Watched { Watched(id: id) }
}
