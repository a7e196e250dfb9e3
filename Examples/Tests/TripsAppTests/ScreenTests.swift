import QueryKit
import QueryKitTesting
import Testing
import TripsApp

@testable import TripsCommand

/// The printed screens.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct ScreenTests {
    @Test func `the list shows that it is loading, then the trips, the total and a problem`() async throws {
        let app = try await TestApp()
        let screen = TripListScreen(model: app.model)
        app.reads.close()
        _ = screen.lines
        try await app.client.loading(at: app.reads) {
            #expect(screen.lines == ["All trips", "  Loading…", "  0 days in all"])
        }
        app.model.submit { try .add(Trip(planning: "", from: "2027-01-10", days: 5)) }
        #expect(
            screen.lines == [
                "All trips", "  2026-12-01  Oslo, 3 days", "  2027-03-01  Rome, 4 days", "  7 days in all", "! A trip needs a name.",
            ]
        )
    }

    @Test func `the details of a deleted trip say that it was deleted`() async throws {
        let app = try await TestApp()
        await app.appear()
        let rome = try app.trip("Rome")
        try await app.trips.save(.addStop(Stop(place: "Trastevere", nights: 2), to: rome))
        let screen = TripScreen(rome.id, client: app.client)
        app.reads.close()
        _ = screen.lines
        try await app.client.loading(at: app.reads) {
            #expect(screen.lines == ["Loading…"])
        }
        app.reads.open()
        #expect(screen.lines == ["2027-03-01  Rome, 4 days", "  Trastevere, 2 nights"])
        app.model.submit { .delete(rome) }
        await app.client.settled()
        #expect(screen.lines == ["This trip was deleted."])
    }

    @Test func `the demo shows each step of navigation and synchronization, and ends`() throws {
        let demo = try SecondProcess().trips("demo")
        #expect(demo.code == 0 && demo.complaint.isEmpty)
        let statuses = demo.output.split(separator: "\n").filter { $0.hasPrefix("[") }
        #expect(
            statuses == [
                "[Synchronized: 3 received, 0 sent.]", "[Synchronized: 0 received, 1 sent.]", "[The server is busy. Trying again.]",
                "[Synchronized: 1 received, 0 sent.]", "[Synchronized: 1 received, 0 sent.]",
            ]
        )
        #expect(demo.output.contains("! \"Rome\" was deleted.\nAll trips\n"))
    }

    @Test func `an open trip closes on the screen when another process deletes it`() async throws {
        let other = try SecondProcess()
        #expect(try other.trips("add", "Lisbon", "2027-01-10", "5").code == 0)
        let watch = try other.watch()
        #expect(await watch.printed("  2027-01-10  Lisbon, 5 days"))
        try watch.type("show Lisbon")
        #expect(await watch.printed("2027-01-10  Lisbon, 5 days\n"))
        #expect(try other.trips("delete", "Lisbon").code == 0)
        #expect(await watch.printed("! \"Lisbon\" was deleted."))
        #expect(try watch.end() == 0)
    }

    @Test func `the screen prints a trip that another process adds, and ends when its input ends`() async throws {
        let other = try SecondProcess()
        let watch = try other.watch()
        #expect(try other.trips("add", "Lisbon", "2027-01-10", "5").code == 0)
        #expect(await watch.printed("  2027-01-10  Lisbon, 5 days"))
        #expect(try watch.end() == 0)
    }
}
