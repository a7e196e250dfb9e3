import QueryKit
import QueryKitSQLite
import QueryKitTesting
import Testing
import TripsApp

@testable import TripsCommand

/// Navigation that follows the data.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct NavigationTests {
    @Test func `a trip opens from the list, its form opens from the trip, and back returns one screen each time`() async throws {
        let app = try await TestApp()
        let navigator = try await app.navigator(at: "Rome")
        let rome = try app.trip("Rome")
        #expect(navigator.details?.trip == rome && navigator.details?.stops == [])
        navigator.edit()
        #expect(navigator.path == [.trip(rome.id), .edit(rome.id)])
        navigator.back()
        #expect(navigator.path == [.trip(rome.id)])
        navigator.back()
        #expect(navigator.path.isEmpty && navigator.message == nil)
    }

    @Test func `a trip shows a spinner while it loads`() async throws {
        let app = try await TestApp()
        await app.appear()
        app.reads.close()
        let navigator = TripNavigator(queryClient: app.client)
        navigator.open(try app.trip("Rome").id)
        let screen = NavigatorScreen(list: TripListScreen(model: app.model), navigator: navigator)
        _ = screen.lines
        try await app.client.loading(at: app.reads) {
            #expect(screen.lines == ["Loading…"])
        }
        #expect(screen.lines == ["2027-03-01  Rome, 4 days"])
    }

    @Test func `an open trip that is deleted elsewhere closes with a message, from its form too`() async throws {
        let app = try await TestApp()
        let navigator = try await app.navigator(at: "Rome")
        navigator.edit()
        navigator.name = "Roma"
        try await app.trips.save(.delete(try app.trip("Rome")))
        await app.client.settled()
        #expect(navigator.path.isEmpty)
        #expect(navigator.message == "\"Rome\" was deleted.")
        #expect(app.names == ["Oslo"])
        // A NavigationStack may write the path that it shows: the message stays.
        navigator.path = []
        #expect(navigator.message != nil)
        navigator.dismissMessage()
        #expect(navigator.message == nil && navigator.path.isEmpty)
    }

    @Test func `an open trip that another process deletes closes with a message that has its latest name`() async throws {
        let other = try SecondProcess()
        let app = try await TestApp(.file(other.file))
        let navigator = try await app.navigator(at: "Rome")
        let details = StateRecorder(app.client.store(for: Trip.details(of: try app.trip("Rome").id)))
        #expect(try other.trips("rename", "Rome", "Roma").code == 0)
        _ = await details.first { $0.value??.trip.name == "Roma" }
        await app.client.settled()
        #expect(navigator.details?.trip.name == "Roma")
        #expect(try other.trips("delete", "Roma").code == 0)
        _ = await details.first { $0.value == .some(nil) }
        await app.client.settled()
        #expect(navigator.path.isEmpty)
        #expect(navigator.message == "\"Roma\" was deleted.")
    }

    @Test func `a deletion that fails shows the trip again`() async throws {
        let app = try await TestApp()
        let navigator = try await app.navigator(at: "Rome")
        let rome = try app.trip("Rome")
        app.writes.close()
        app.model.submit { .delete(rome) }
        #expect(navigator.path.isEmpty && navigator.message == "\"Rome\" was deleted.")
        app.writes.fail(with: DiskError())
        await app.client.settled()
        #expect(navigator.path == [.trip(rome.id)] && navigator.message == nil)
        #expect(app.model.problem == "The disk is broken.")
    }

    @Test func `a form that the user has not touched follows the trip, and one that the user has touched stays`() async throws {
        let app = try await TestApp()
        let navigator = try await app.navigator(at: "Rome")
        navigator.edit()
        try await app.trips.save(.rename(try app.trip("Rome"), to: "Roma"))
        await app.client.settled()
        #expect(navigator.name == "Roma")
        navigator.name = "Rom"
        try await app.trips.save(.rename(try app.trip("Roma"), to: "Rooma"))
        await app.client.settled()
        #expect(navigator.name == "Rom")
    }

    @Test func `saving the form closes it once the new name is saved`() async throws {
        let app = try await TestApp()
        let navigator = try await app.navigator(at: "Rome")
        let rome = try app.trip("Rome")
        navigator.edit()
        navigator.name = " Roma "
        app.writes.close()
        navigator.save()
        #expect(navigator.isSaving && app.names == ["Oslo", "Roma"])
        #expect(navigator.path.last == .edit(rome.id))
        app.writes.open()
        await app.client.settled()
        #expect(navigator.path == [.trip(rome.id)])
        #expect(navigator.details?.trip.name == "Roma")
    }

    @Test(arguments: [("Oslo", "There already is a trip named \"Oslo\"."), (" ", "A trip needs a name.")])
    func `a name that can't be saved stays in the form, with the reason`(name: String, problem: String) async throws {
        let app = try await TestApp()
        let navigator = try await app.navigator(at: "Rome")
        let rome = try app.trip("Rome")
        navigator.edit()
        navigator.name = name
        navigator.save()
        await app.client.settled()
        #expect(navigator.path.last == .edit(rome.id))
        #expect(navigator.name == name && navigator.problem == problem)
        #expect(app.names == ["Oslo", "Rome"])
    }

    @Test func `text that is typed while the form is being saved keeps the form open`() async throws {
        let app = try await TestApp()
        let navigator = try await app.navigator(at: "Rome")
        navigator.edit()
        navigator.name = "Roma"
        app.writes.close()
        navigator.save()
        navigator.name = "Roma 2"
        app.writes.open()
        await app.client.settled()
        #expect(navigator.path.last == .edit(try app.trip("Roma").id) && navigator.name == "Roma 2")
    }

    @Test func `typed commands navigate, and the screen is that of the open trip`() async throws {
        let app = try await TestApp()
        let navigator = try await app.navigator(at: "Rome")
        let screen = NavigatorScreen(list: TripListScreen(model: app.model), navigator: navigator)
        #expect(!navigator.obey("list") && !navigator.obey("save"))
        #expect(navigator.obey("edit") && navigator.obey("name Roma"))
        #expect(screen.lines == ["Edit", "  name  Roma"])
        #expect(navigator.obey("save"))
        await app.client.settled()
        #expect(screen.lines == ["2027-03-01  Roma, 4 days"])
        #expect(navigator.obey("back") && !navigator.obey("back"))
        #expect(screen.lines.first == "All trips")
    }
}

extension TestApp {
    /// The app with an open trip.
    func navigator(at name: String) async throws -> TripNavigator {
        await appear()
        let navigator = TripNavigator(queryClient: client)
        navigator.open(try trip(name).id)
        _ = (navigator.path, navigator.details)
        await client.settled()
        _ = navigator.details
        return navigator
    }
}
