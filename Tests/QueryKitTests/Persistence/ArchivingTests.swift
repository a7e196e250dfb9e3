import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

struct ArchivingTests {
    private let launch = Launch()
    private let saved = Recorder<[String]>()

    private var client: QueryClient { launch.client }

    private func request(_ id: Int = 1) -> some QueryRequest<Int, QueryState<Int?, Int>> { Number(id).ttl(.seconds(3_600)).archived() }

    private func archiving(_ pattern: QueryPattern = .all, maxAge: Duration = .infinity) -> QuerySubscription {
        client.archive(matching: pattern, after: .seconds(2), maxAge: maxAge) { [saved] in saved.note($0.glance) }
    }

    /// Advances the clock, and returns what was saved by then.
    private func pass(_ time: Duration) async -> [[String]] {
        await client.settled()
        launch.clock.advance(by: time)
        await client.settled()
        return saved.take()
    }

    // MARK: Changes

    @Test func `R28 a value is saved once, when nothing has changed for the quiet period`() async throws {
        let subscription = archiving()
        client.setValue(10, for: request())
        #expect(await pass(.milliseconds(1_500)) == [])
        client.setValue(20, for: request(2))
        #expect(await pass(.milliseconds(1_999)) == [])
        #expect(await pass(.milliseconds(1)) == [["1=10", "2=20"]])
        #expect(await pass(.seconds(60)) == [])
        subscription.cancel()
    }

    @Test func `R28 results of runs, invalidations, removals and logouts are changes`() async throws {
        launch.backend.behave { _ in 7 }
        let subscription = archiving()
        _ = try await client.fetch(request())
        #expect(await pass(.seconds(2)) == [["1=7"]])
        client.invalidate("number/*")
        #expect(await pass(.seconds(2)) == [["1=7!"]])
        _ = try await client.fetch(request())
        #expect(await pass(.seconds(2)) == [["1=7"]])
        client.store(for: request()).invalidate()
        #expect(await pass(.seconds(2)) == [["1=7!"]])
        client.batch { client.setValue(8, for: request()) }
        #expect(await pass(.seconds(2)) == [["1=8"]])
        client.batch { _ = client.invalidate(.all) }
        #expect(await pass(.seconds(2)) == [["1=8!"]])
        client.store(for: request()).reset()
        #expect(await pass(.seconds(2)) == [[]])
        client.setValue(9, for: request())
        #expect(await pass(.seconds(2)) == [["1=9"]])
        client.reset("number/*")
        #expect(await pass(.seconds(2)) == [[]])
        client.setValue(9, for: request())
        #expect(await pass(.seconds(2)) == [["1=9"]])
        client.remove("number/*")
        #expect(await pass(.seconds(2)) == [[]])
        client.setValue(9, for: request())
        #expect(await pass(.seconds(2)) == [["1=9"]])
        client.reset(session: "b")
        #expect(await pass(.seconds(2)) == [[]])
        subscription.cancel()
    }

    @Test func `R28 values of persisted requests are archived, and values of plain ones are not`() async throws {
        let subscription = archiving()
        client.setValue(1, for: Number(1))
        #expect(await pass(.seconds(60)) == [])
        client.setValue(2, for: Number(2).persisted(in: MemoryQueryCache(clock: launch.clock)))
        #expect(await pass(.seconds(2)) == [["2=2"]])
        client.store(for: request(2)).setResult(to: .failure(TestError()))
        #expect(await pass(.seconds(60)) == [])
        subscription.cancel()
    }

    @Test func `R28 only values that match the pattern are saved, and only their changes cause a save`() async throws {
        let subscription = archiving(["number", 1])
        client.setValue(20, for: request(2))
        #expect(await pass(.seconds(60)) == [])
        client.setValue(10, for: request(1))
        #expect(await pass(.seconds(2)) == [["1=10"]])
        subscription.cancel()
    }

    @Test func `R28 a restored archive and later changes to its entries are saved`() async throws {
        let former = Launch()
        former.client.setValue(10, for: request())
        let archive = try await former.client.dehydrate()
        let subscription = archiving()
        await client.hydrate(from: archive)
        #expect(await pass(.seconds(2)) == [["1=10"]])
        client.invalidate("number/*")
        #expect(await pass(.seconds(2)) == [["1=10!"]])
        client.remove("number/*")
        #expect(await pass(.seconds(2)) == [[]])
        subscription.cancel()
    }

    @Test func `R28 values that have reached the maximum age are not saved`() async throws {
        let subscription = archiving(maxAge: .seconds(60))
        client.setValue(10, for: request(1))
        #expect(await pass(.seconds(58)) == [["1=10"]])
        client.setValue(20, for: request(2))
        #expect(await pass(.seconds(2)) == [["2=20"]])
        subscription.cancel()
    }

    // MARK: Time of the save

    @Test func `R28 while changes continue, an archive is saved after ten quiet periods`() async throws {
        let subscription = archiving()
        for second in 0..<20 {
            client.setValue(second, for: request())
            #expect(await pass(.seconds(1)) == (second == 19 ? [["1=19"]] : []))
        }
        subscription.cancel()
    }

    @Test func `R33 settled waits for a save, but not for the quiet period`() async throws {
        let gate = Gate(ignoresCancellation: true)
        let subscription = client.archive { _ in await gate.hold() }
        client.setValue(10, for: request())
        await client.settled()
        #expect(client.core.work.count == 0)
        launch.clock.advance(by: .seconds(2))
        #expect(client.core.work.count == 1)
        gate.open()
        await client.settled()
        #expect(client.core.work.count == 0)
        subscription.cancel()
    }

    @Test func `R28 saves never overlap, and a change during a save causes one more save`() async throws {
        let gate = Gate(ignoresCancellation: true)
        let subscription = client.archive { [saved] archive in
            saved.note(archive.glance)
            await gate.hold()
        }
        client.setValue(10, for: request())
        await client.settled()
        launch.clock.advance(by: .seconds(2))
        await gate.holds()
        for value in 11...13 {
            client.setValue(value, for: request())
            launch.clock.advance(by: .seconds(60))
        }
        #expect(gate.arrivals == 1)
        gate.openOnce()
        await gate.arrived(2)
        gate.openOnce()
        #expect(await pass(.seconds(60)) == [["1=10"], ["1=13"]])
        subscription.cancel()
    }

    @Test func `R28 a failed save is reported and repeated at the next change`() async throws {
        let events = CacheEvents(of: client)
        let fails = Lock(true)
        let subscription = client.archive { [saved] archive in
            saved.note(archive.glance)
            if fails.withLock({ $0 }) { throw TestError() }
        }
        client.setValue(10, for: request())
        #expect(await pass(.seconds(2)) == [["1=10"]])
        #expect(await pass(.seconds(60)) == [])
        let event = await events.first(1).first
        #expect(event?.kind == .storageFailed)
        #expect(event?.error is TestError)
        fails.withLock { $0 = false }
        client.setValue(20, for: request(2))
        #expect(await pass(.seconds(2)) == [["1=10", "2=20"]])
        subscription.cancel()
    }

    // MARK: Saving on demand

    @Test func `R28 saving on demand saves outstanding changes at once, and nothing if there are none`() async throws {
        let subscription = archiving()
        try await client.archiveNow()
        #expect(saved.take() == [])
        client.setValue(10, for: request())
        try await client.archiveNow()
        #expect(saved.take() == [["1=10"]])
        #expect(await pass(.seconds(60)) == [])
        try await client.archiveNow()
        #expect(saved.take() == [])
        subscription.cancel()
    }

    @Test func `R28 a save on demand includes a change made during the save before`() async throws {
        let gate = Gate(ignoresCancellation: true)
        let subscription = client.archive { [saved] archive in
            await gate.hold()
            saved.note(archive.glance)
        }
        client.setValue(10, for: request())
        await client.settled()
        launch.clock.advance(by: .seconds(2))
        await gate.holds()
        client.setValue(11, for: request())
        let now = Task { [client] in try await client.archiveNow() }
        gate.openOnce()
        gate.openOnce()
        try await now.value
        #expect(saved.take() == [["1=10"], ["1=11"]])
        subscription.cancel()
    }

    @Test func `R28 a save on demand throws a failure after all other saves were made`() async throws {
        let failing = client.archive { _ in throw TestError("full") }
        let subscription = archiving()
        client.setValue(10, for: request())
        await #expect(throws: TestError("full")) { try await client.archiveNow() }
        #expect(saved.take() == [["1=10"]])
        // The failed save is still outstanding.
        await #expect(throws: TestError("full")) { try await client.archiveNow() }
        #expect(saved.take() == [])
        failing.cancel()
        subscription.cancel()
    }

    @Test func `R7 a cancelled caller returns at once, and the save continues`() async throws {
        let gate = Gate(ignoresCancellation: true)
        let subscription = client.archive { [saved] archive in
            await gate.hold()
            saved.note(archive.glance)
        }
        client.setValue(10, for: request())
        let now = Task { [client] in try await client.archiveNow() }
        await gate.holds()
        now.cancel()
        await #expect(throws: CancellationError.self) { try await now.value }
        gate.open()
        await client.settled()
        #expect(saved.take() == [["1=10"]])
        subscription.cancel()
    }

    // MARK: Ending

    @Test func `R28 after the subscription has ended nothing is saved, and no listener or work is left`() async throws {
        var subscription: QuerySubscription? = archiving()
        client.setValue(10, for: request())
        await client.settled()
        #expect(client.core.held.withLock { $0.count } == 1)
        subscription?.cancel()
        #expect(await pass(.seconds(60)) == [])
        #expect(client.core.storedChangeListeners.withLock { $0.isEmpty })
        #expect(client.core.held.withLock { $0.isEmpty })
        subscription = archiving()
        client.setValue(11, for: request())
        subscription = nil
        #expect(await pass(.seconds(60)) == [])
        try await client.archiveNow()
        #expect(saved.take() == [])
        #expect(subscription == nil)
    }

    @Test func `R28 ending the subscription cancels the save under way and resumes a caller that waits for it`() async throws {
        let gate = Gate()
        let ended = Recorder<String>()
        let subscription = client.archive { _ in
            do { try await gate.pass() } catch { ended.note("\(type(of: error))") }
        }
        client.setValue(10, for: request())
        let now = Task { [client] in try await client.archiveNow() }
        await gate.holds()
        subscription.cancel()
        try await now.value
        await client.settled()
        #expect(ended.all == ["CancellationError"])
    }

    @Test func `R28 an archive subscription does not keep the client alive, not even during a slow save`() async throws {
        let gate = Gate()
        let ended = Recorder<String>()
        let mortal = Lock<QueryClient?>(Launch().client)
        let subscription = mortal.withLock { $0 }?.archive { _ in
            do { try await gate.pass() } catch { ended.note("\(type(of: error))") }
        }
        mortal.withLock { $0 }?.setValue(10, for: request())
        let left = try WeakOwner(#require(mortal.withLock { $0 }))
        let now = Task { [mortal] in
            // Of the call, only the wait is left.
            let saves = mortal.withLock { $0 }?.archiveSavers.compactMap { $0.saveNow() } ?? []
            for save in saves { try await save.get() }
        }
        await gate.holds()
        mortal.withLock { $0 = nil }
        #expect(left.object == nil)
        try await now.value
        await reaches { ended.count == 1 }
        #expect(ended.all == ["CancellationError"])
        subscription?.cancel()
    }
}

extension QueryClientArchive {
    /// The ids of the numbers with their values; invalidated ones are marked.
    var glance: [String] {
        entries.map { entry in
            "\(entry.key.session.map { "\($0) " } ?? "")\(entry.key.path[1])=\(String(decoding: entry.value.data, as: UTF8.self))"
                + (entry.value.isInvalidated ? "!" : "")
        }
        .sorted()
    }
}

extension Gate {
    /// Waits and ignores cancellation, as a destination may do.
    func hold() async { try? await pass() }
}
