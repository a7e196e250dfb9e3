import QueryKit
import QueryKitSQLite
import QueryKitTesting
import Testing
import TripsApp

/// The background synchronization. The screens are never told to load: they follow its commits.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct SyncTests {
    @Test func `the list and the open trip follow what is received`() async throws {
        let app = try await SyncedApp()
        let rome = try await app.server.add("Rome", "2027-03-01")
        await app.appear()
        #expect(app.model.trips.map(\.name) == ["Rome"] && app.model.totalDays == 7)
        app.navigator.open(rome.id)
        await app.server.make(.addStop(Stop(place: "Trastevere", nights: 2), to: rome))
        _ = app.navigator.details
        await app.synchronize()
        #expect(app.navigator.details?.stops == [Stop(place: "Trastevere", nights: 2)])
        await app.server.make(.delete(rome))
        await app.synchronize()
        #expect(app.navigator.message == "\"Rome\" was deleted.")
        #expect(app.model.trips.isEmpty)
    }

    @Test func `only what has changed since the last time is received, and an unchanged list is not read again`() async throws {
        let app = try await SyncedApp()
        for name in ["Oslo", "Rome", "Lisbon"] { try await app.server.add(name, "2027-03-01") }
        await app.appear()
        #expect(await app.server.log == ["changes after 0", "changes after 2"])
        let list = StateRecorder(app.client.store(for: Trip.all()))
        await app.synchronize()
        #expect(await app.server.log.last == "changes after 3")
        #expect(list.states.map(\.isFetching) == [false])
    }

    @Test func `a local change is sent without a call, also one that another part of the app makes`() async throws {
        let app = try await SyncedApp()
        await app.appear()
        app.model.submit { try .add(Trip(planning: "Rome", from: "2027-03-01", days: 4)) }
        await app.client.settled()
        #expect(await app.server.names == ["Rome"])
        let rome = try #require(app.model.trips.first)
        try await app.trips.save(.rename(rome, to: "Roma"))
        await app.client.settled()
        #expect(await app.server.names == ["Roma"])
        try await app.trips.save(.delete(rome))
        await app.client.settled()
        #expect(await app.server.names.isEmpty)
    }

    @Test func `its own commits don't start it again`() async throws {
        let app = try await SyncedApp()
        try await app.server.add("Oslo", "2027-03-01")
        await app.appear()
        app.model.submit { try .add(Trip(planning: "Rome", from: "2027-03-01", days: 4)) }
        await app.client.settled()
        #expect(await app.server.log == ["changes after 0", "changes after 1", "put Rome"])
        #expect(app.sync.status == "Synchronized: 0 received, 1 sent.")
    }

    @Test func `it is retried, and continues where it has stopped`() async throws {
        let app = try await SyncedApp()
        for name in ["Oslo", "Rome", "Lisbon"] { try await app.server.add(name, "2027-03-01") }
        app.requests.openOnce()
        app.requests.failOnce(with: ServerError.unavailable)
        app.requests.failOnce(with: ServerError.unavailable)
        await app.appear()
        #expect(app.model.trips.map(\.name) == ["Oslo", "Rome"])
        #expect(app.sync.status == "The server is busy. Trying again.")
        #expect(app.requests.arrivals == 2)
        // The delays are random: at most one second, then at most two.
        for delay in [1, 2] {
            app.clock.advance(by: .seconds(delay))
            await app.client.settled()
        }
        #expect(app.requests.arrivals == 4)
        #expect(app.model.trips.count == 3)
        #expect(await app.server.log == ["changes after 0", "changes after 2"])
    }

    @Test func `its progress is shown while it runs`() async throws {
        let app = try await SyncedApp()
        for name in ["Oslo", "Rome", "Lisbon"] { try await app.server.add(name, "2027-03-01") }
        app.requests.close()
        app.requests.openOnce()
        await app.appear()
        #expect(app.sync.status == "Synchronizing, 1 to go…")
        app.requests.open()
        await app.client.settled()
        #expect(app.sync.status == "Synchronized: 3 received, 0 sent.")
    }

    @Test func `a cancelled synchronization keeps what was stored, and the next one continues there`() async throws {
        let app = try await SyncedApp()
        for name in ["Oslo", "Rome", "Lisbon"] { try await app.server.add(name, "2027-03-01") }
        app.requests.close()
        app.requests.openOnce()
        await app.appear()
        app.sync.cancel()
        await app.client.settled()
        #expect(app.requests.heldCount == 0)
        #expect(app.model.trips.count == 2)
        app.requests.open()
        await app.synchronize()
        #expect(app.model.trips.count == 3)
        #expect(await app.server.log == ["changes after 0", "changes after 2"])
    }

    @Test func `its reads have background priority, even while the main actor waits for it`() async throws {
        let app = try await SyncedApp()
        _ = try await app.client.fetch(SyncTrips())
        #expect(app.held.priorities.inputs == [.background])
    }

    @Test func `if both sides have changed a trip, the server's version replaces the local one, and the status names it`() async throws {
        let app = try await SyncedApp()
        let rome = try await app.server.add("Rome", "2027-03-01")
        await app.appear()
        app.requests.close()
        app.model.submit { .rename(rome, to: "Roma") }
        await app.requests.holds()
        await app.server.make(.rename(rome, to: "Rom"))
        app.requests.open()
        await app.client.settled()
        #expect(app.model.trips.map(\.name) == ["Rom"])
        #expect(app.sync.status == "Synchronized: 1 received, 0 sent. The server's changes replaced yours: Roma.")
        #expect(await app.server.names == ["Rom"])
    }

    @Test func `a trip that was deleted here and changed on the server is there again`() async throws {
        let app = try await SyncedApp()
        let rome = try await app.server.add("Rome", "2027-03-01")
        await app.appear()
        app.requests.close()
        app.model.submit { .delete(rome) }
        await app.requests.holds()
        await app.server.make(.rename(rome, to: "Rom"))
        app.requests.open()
        await app.client.settled()
        #expect(app.model.trips.map(\.name) == ["Rom"])
        #expect(app.sync.status == "Synchronized: 1 received, 0 sent. The server's changes replaced yours: Rom.")
    }

    @Test func `two trips with one name from two devices are both kept, and the local one gets a number`() async throws {
        let app = try await SyncedApp()
        await app.appear()
        app.requests.close()
        app.model.submit { try .add(Trip(planning: "Rome", from: "2027-03-01", days: 4)) }
        await app.requests.holds()
        try await app.server.add("Rome", "2027-05-01")
        app.requests.open()
        await app.client.settled()
        #expect(app.model.trips.map(\.name) == ["Rome (2)", "Rome"])
        #expect(await app.server.names == ["Rome (2)", "Rome"])
        #expect(!app.sync.status.contains("replaced"))
    }

    @Test func `trips that have swapped their names on the server are received without a conflict`() async throws {
        let app = try await SyncedApp()
        let rome = try await app.server.add("Rome", "2027-03-01")
        let oslo = try await app.server.add("Oslo", "2027-04-01")
        await app.appear()
        for (trip, name) in [(rome, "Oslo 2"), (oslo, "Rome"), (rome, "Oslo")] { await app.server.make(.rename(trip, to: name)) }
        await app.synchronize()
        #expect(app.model.trips.map(\.name) == ["Oslo", "Rome"])
        #expect(!app.sync.status.contains("replaced"))
        #expect(await app.server.names == ["Oslo", "Rome"])
    }

    @Test func `a change that was sent, but whose answer was lost, is no conflict with a later change`() async throws {
        let app = try await SyncedApp()
        let rome = try await app.server.add("Rome", "2027-03-01")
        await app.appear()
        app.held.answers.failOnce(with: ServerError.unavailable)
        app.model.submit { .rename(rome, to: "Roma") }
        await app.client.settled()
        #expect(await app.server.names == ["Roma"])
        app.model.submit { .rename(rome, to: "Rom") }
        await app.client.settled()
        app.clock.advance(by: .seconds(1))
        await app.client.settled()
        #expect(app.model.trips.map(\.name) == ["Rom"])
        #expect(await app.server.names == ["Rom"])
        #expect(!app.sync.status.contains("replaced"))
    }

    @Test func `a change that is made while an earlier one is being sent is sent afterwards`() async throws {
        let app = try await SyncedApp()
        await app.appear()
        app.held.answers.close()
        app.model.submit { try .add(Trip(planning: "Rome", from: "2027-03-01", days: 4)) }
        await app.held.answers.holds()
        let trip = try #require(app.model.trips.first)
        app.model.submit { .rename(trip, to: "Roma") }
        await app.client.settled()
        app.held.answers.open()
        await app.client.settled()
        #expect(await app.server.names == ["Roma"])
        #expect(!app.sync.status.contains("replaced"))
    }
}
