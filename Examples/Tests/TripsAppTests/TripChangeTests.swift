import QueryKit
import QueryKitTesting
import Testing
import TripsApp

/// Changes on the screen: shown at once, confirmed by the database, removed on failure.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct TripChangeTests {
    @Test func `a new trip is listed by date and counted in the total before it is saved`() async throws {
        let app = try await TestApp()
        await app.appear()
        app.writes.close()
        app.model.submit { try .add(Trip(planning: "Lisbon", from: "2027-01-10", days: 5)) }
        #expect(app.names == ["Oslo", "Lisbon", "Rome"])
        #expect(app.model.totalDays == 12)
        #expect(try await app.trips.totalDays() == 7)
        try await app.client.loading(at: app.writes) {}
        #expect(app.names == ["Oslo", "Lisbon", "Rome"])
        #expect(app.model.totalDays == 12)
        #expect(try await app.trips.totalDays() == 12)
    }

    @Test func `a change that can't be saved is rolled back with a message, and can be retried`() async throws {
        let app = try await TestApp()
        await app.appear()
        let list = StateRecorder(app.client.store(for: Trip.all()))
        app.writes.failOnce(with: DiskError())
        let oslo = try app.trip("Oslo")
        app.model.submit { .delete(oslo) }
        await app.client.settled()
        #expect(app.model.problem == "The disk is broken.")
        #expect(app.names == ["Oslo", "Rome"])
        #expect(list.states.compactMap(\.value).map { $0.map(\.name) } == [["Oslo", "Rome"], ["Rome"], ["Oslo", "Rome"]])
        app.model.retry()
        await app.client.settled()
        #expect(app.model.problem == nil)
        #expect(app.names == ["Rome"])
    }

    @Test func `a new name is shown in the list and in the details at once`() async throws {
        let app = try await TestApp()
        await app.appear()
        let rome = try app.trip("Rome")
        let details = app.client.store(for: Trip.details(of: rome.id))
        _ = try await details.fetch()
        app.writes.close()
        app.model.submit { try .rename(rome, to: Trip.name("  Roma ")) }
        #expect(app.names == ["Oslo", "Roma"])
        #expect(details.value??.trip.name == "Roma")
        try await app.client.loading(at: app.writes) {}
        #expect(app.names == ["Oslo", "Roma"])
    }

    @Test func `an added stop is shown in the details of its trip`() async throws {
        let app = try await TestApp()
        await app.appear()
        let rome = try app.trip("Rome")
        let details = StateRecorder(app.client.store(for: Trip.details(of: rome.id)))
        app.model.submit { .addStop(Stop(place: "Trastevere", nights: 2), to: rome) }
        let shown = await details.first { $0.value??.stops.isEmpty == false }
        #expect(shown?.value??.stops == [Stop(place: "Trastevere", nights: 2)])
    }

    @Test(arguments: [
        (" ", "2027-01-10", 5, "A trip needs a name."),
        ("Lisbon", "2027-02-30", 5, "\"2027-02-30\" is not a day. Write it as 2026-12-01."),
        ("Lisbon", "2027-01-10", 0, "A trip takes 1 to 1000 days, not 0."),
    ])
    func `an invalid trip is refused, and neither shown nor saved`(
        name: String,
        start: String,
        days: Int,
        problem: String
    ) async throws {
        let app = try await TestApp()
        await app.appear()
        app.model.submit { try .add(Trip(planning: name, from: start, days: days)) }
        #expect(app.model.problem == problem)
        #expect(app.names == ["Oslo", "Rome"])
        #expect(app.writes.arrivals == 0)
        app.model.submit { try .add(Trip(planning: "Lisbon", from: "2027-01-10", days: 5)) }
        await app.client.settled()
        #expect(app.model.problem == nil)
    }

    @Test func `renaming a trip to an existing name is refused with a message for the user`() async throws {
        let app = try await TestApp()
        await app.appear()
        let rome = try app.trip("Rome")
        app.model.submit { .rename(rome, to: "Oslo") }
        await app.client.settled()
        #expect(app.model.problem == "There already is a trip named \"Oslo\".")
        #expect(app.names == ["Oslo", "Rome"])
    }
}
