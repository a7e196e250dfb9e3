import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

extension Compositions {
    /// Archives that are saved or hydrated while something else happens to the client.
    struct ArchivingCrossingTests {
        private let launch = Launch(session: "a")
        private let saved = Recorder<[String]>()

        private var client: QueryClient { launch.client }

        private func request(_ id: Int = 1) -> some QueryRequest<Int, QueryState<Int?, Int>> {
            Number(id).ttl(.seconds(3_600)).archived()
        }

        private func pass(_ time: Duration) async -> [[String]] {
            await client.settled()
            launch.clock.advance(by: time)
            await client.settled()
            return saved.take()
        }

        @Test func `R28 a save overtaken by a logout has its user's values, and the next save only the next user's`() async throws {
            let gate = Gate(ignoresCancellation: true)
            let subscription = client.archive { [saved] archive in
                await gate.hold()
                saved.note(archive.glance)
            }
            client.setValue(10, for: request())
            await client.settled()
            launch.clock.advance(by: .seconds(2))
            await gate.holds()
            client.reset(session: "b")
            client.setValue(20, for: request())
            gate.open()
            #expect(await pass(.zero) == [["a 1=10"]])
            #expect(await pass(.seconds(2)) == [["b 1=20"]])
            subscription.cancel()
        }

        @Test func `R28 a logout while values are being encoded does not mix two users' values`() async throws {
            let logOut = LogOut()
            let subscription = client.archive { [saved] in saved.note($0.glance) }
            for id in 1...3 { client.setValue(id, for: delicate(id, logOut)) }
            logOut.arm(client)
            try await client.archiveNow()
            // The archive keys belong to the previous session, so values of the next one must not appear under them.
            #expect(saved.take().flatMap(\.self).allSatisfy { $0.hasPrefix("a ") })
            client.setValue(5, for: request(5))
            #expect(await pass(.seconds(2)) == [["b 5=5"]])
            subscription.cancel()
        }

        @Test func `R28 a change while values are being encoded is in the next save`() async throws {
            let change = Lock<(@Sendable () -> Void)?>(nil)
            let subscription = client.archive { [saved] in saved.note($0.glance) }
            for id in 1...3 { client.setValue(id, for: delicate(id, change)) }
            change.withLock { $0 = { [client] in for id in 1...3 { client.setValue(id * 10, for: Number(id)) } } }
            try await client.archiveNow()
            #expect(saved.count == 1)
            _ = saved.take()
            #expect(await pass(.seconds(2)) == [["a 1=10", "a 2=20", "a 3=30"]])
            subscription.cancel()
        }

        @Test func `R28 two archive subscriptions save their own values, and one continues after the other ends`() async throws {
            let gate = Gate(ignoresCancellation: true)
            let all = client.archive(after: .seconds(3)) { [saved] in saved.note(["all"] + $0.glance) }
            let slow = client.archive(matching: ["number", 1], after: .seconds(1)) { [saved] archive in
                await gate.hold()
                saved.note(["one"] + archive.glance)
            }
            client.setValue(10, for: request(1))
            client.setValue(20, for: request(2))
            await client.settled()
            launch.clock.advance(by: .seconds(1))
            await gate.holds()
            launch.clock.advance(by: .seconds(2))
            await reaches { saved.count == 1 }
            #expect(saved.take() == [["all", "a 1=10", "a 2=20"]])
            gate.open()
            #expect(await pass(.zero) == [["one", "a 1=10"]])
            slow.cancel()
            client.setValue(11, for: request(1))
            #expect(await pass(.seconds(3)) == [["all", "a 1=11", "a 2=20"]])
            all.cancel()
        }

        @Test func `R28 a slow handler does not delay a save, and its write is saved again afterwards`() async throws {
            let valve = Valve()
            let subscription = client.archive { [saved] in saved.note($0.glance) }
            client.setValue(1, for: request(1))
            let store = client.store(for: request(2))
            let slow = store.subscribe(with: QueryEventHandler { state, _ in if state.value == 2 { valve.wait() } })
            async let write: Void = onThread { store.setValue(2) }
            await reaches { valve.arrivals == 1 }
            try await client.archiveNow()
            #expect(saved.take() == [["a 1=1", "a 2=2"]])
            valve.open()
            await write
            #expect(await pass(.seconds(2)) == [["a 1=1", "a 2=2"]])
            slow.cancel()
            subscription.cancel()
        }

        @Test func `R28 hydrating during a run does not replace what the run yields or its result`() async throws {
            let former = Launch(session: "a")
            former.client.setValue(10, for: request())
            let archive = try await former.client.dehydrate()
            for replacement in [QueryClientArchive.Replacement.nothing, .olderValues] {
                let gate = Gate()
                let next = Launch(.seconds(30), session: "a") { call in
                    call.continuation.yield(1)
                    try await gate.pass()
                    return 99
                }
                let received = Recorder<String>()
                let store = next.client.store(for: request())
                let subscription = store.record(received)
                await gate.arrived()
                await next.client.hydrate(from: archive, replacing: replacement)
                // The value that the run has yielded is newer.
                #expect(store.value == 1)
                gate.open()
                await next.client.settled()
                #expect(received.all.last == "99")
                subscription.cancel()
            }
        }

        @Test func `R28 the last archive contains the changes of all threads`() async throws {
            let subscription = client.archive(after: .milliseconds(1)) { [saved] in saved.note($0.glance) }
            await withTaskGroup { group in
                for id in 0..<8 {
                    group.addTask { [client, clock = launch.clock] in
                        for value in 0..<100 {
                            client.setValue(value, for: Number(id).ttl(.infinity).archived())
                            if value.isMultiple(of: 10) { clock.advance(by: .milliseconds(1)) }
                            if value.isMultiple(of: 25) { try? await client.archiveNow() }
                        }
                    }
                }
            }
            await client.settled()
            launch.clock.advance(by: .milliseconds(1))
            await client.settled()
            #expect(saved.last == (0..<8).map { "a \($0)=99" })
            subscription.cancel()
        }

        // MARK: Requests

        /// A request whose value ends the session when it is encoded.
        private func delicate(_ id: Int, _ logOut: LogOut) -> some QueryRequest<Int, QueryState<Int?, Int>> {
            Number(id).setting { $0.settings.persistence = Self.coding { logOut.happen() } }
        }

        private func delicate(_ id: Int, _ action: Lock<(@Sendable () -> Void)?>) -> some QueryRequest<Int, QueryState<Int?, Int>> {
            let coding = Self.coding {
                let due = action.withLock { action in
                    defer { action = nil }
                    return action
                }
                due?()
            }
            return Number(id).setting { $0.settings.persistence = coding }
        }

        private static func coding(_ happens: @escaping @Sendable () -> Void) -> QueryPersistence {
            QueryPersistence(
                version: 1,
                encode: {
                    happens()
                    return try ValueCoding.encode($0.unboxed(as: Int.self))
                },
                decode: { AnyValue(try ValueCoding.decode(Int.self, from: $0)) }
            )
        }
    }
}
