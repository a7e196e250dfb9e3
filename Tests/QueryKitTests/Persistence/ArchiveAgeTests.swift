import Foundation
import QueryKit
import TestSupport
import Testing

struct ArchiveAgeTests {
    private func request(_ id: Int) -> some QueryRequest<Int, QueryState<Int?, Int>> { Number(id).archived() }

    /// A launch a minute after ``Launch/day``, and an archive with values written up to that launch, ten seconds apart.
    private func archive() async throws -> (Launch, QueryClientArchive) {
        let launch = Launch()
        for id in 1...6 {
            launch.clock.advance(by: .seconds(10))
            launch.client.setValue(id, for: request(id))
        }
        return (launch, try await launch.client.dehydrate())
    }

    private func ids(in client: QueryClient) -> [Int] { (1...6).filter { client.store(for: request($0)).value != nil } }

    @Test func `R28 values that have reached the maximum age are left out without an error`() async throws {
        let (_, archive) = try await archive()
        let next = Launch(.seconds(60))
        let events = CacheEvents(of: next.client)
        await next.client.hydrate(from: archive, maxAge: .seconds(20))
        #expect(try await next.client.dehydrate().count == 2)
        #expect(ids(in: next.client) == [5, 6])
        // The first events are those of the restored values.
        #expect(await events.first(2).map(\.kind) == [.valueRestored, .valueRestored])
        let third = Launch(.seconds(60))
        try await third.client.hydrate(from: try await archive.data(), maxAge: .seconds(21))
        #expect(ids(in: third.client) == [4, 5, 6])
    }

    @Test func `R28 a value that waits for its request is left out when it reaches the maximum age`() async throws {
        let (_, archive) = try await archive()
        let next = Launch(.seconds(60))
        await next.client.hydrate(from: archive, maxAge: .seconds(100))
        next.clock.advance(by: .seconds(60))
        #expect(ids(in: next.client) == [3, 4, 5, 6])
    }

    @Test func `R28 R13 with a maximum age, a value from the future is left out because its age is unknown`() async throws {
        let (_, archive) = try await archive()
        for (maxAge, left) in [(.seconds(3_600), [1, 2, 3]), (.infinity, [1, 2, 3, 4, 5, 6])] as [(Duration, [Int])] {
            let next = Launch(.seconds(30))
            await next.client.hydrate(from: archive, maxAge: maxAge)
            #expect(ids(in: next.client) == left)
        }
    }

    @Test func `R28 a maximum age also applies to stores that exist already or have older values`() async throws {
        let (_, archive) = try await archive()
        let next = Launch()
        let stores = (1...6).map { next.client.store(for: request($0)) }
        stores[1].setValue(20)
        stores[5].setValue(60)
        next.clock.advance(by: .seconds(60))
        await next.client.hydrate(from: archive, replacing: .olderValues, maxAge: .seconds(30))
        #expect(stores.map(\.value) == [nil, 20, nil, 4, 5, 6])
    }

    @Test func `R28 an archive is created without values that have reached the maximum age`() async throws {
        let (launch, _) = try await archive()
        let archive = try await launch.client.dehydrate(matching: "number/*", maxAge: .seconds(20))
        let next = Launch(.seconds(3_600))
        await next.client.hydrate(from: archive)
        #expect(ids(in: next.client) == [5, 6])
    }

    @Test func `R28 a maximum age applied in one launch does not limit what the next launch restores`() async throws {
        let (_, archive) = try await archive()
        let next = Launch(.seconds(60))
        await next.client.hydrate(from: archive, maxAge: .seconds(30))
        #expect(try await next.client.dehydrate(maxAge: .seconds(20)).count == 2)
        let again = try await next.client.dehydrate()
        next.clock.advance(by: .seconds(15))
        #expect(try await next.client.dehydrate().count == 2)
        let third = Launch(.seconds(3_600))
        await third.client.hydrate(from: again)
        #expect(ids(in: third.client) == [4, 5, 6])
    }
}
