import QueryKit
import QueryKitTesting
import Testing
import TripsApp

/// Loading, search and errors of the list.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct TripListTests {
    @Test func `the list shows a spinner, then the trips sorted by start date and their total`() async throws {
        let app = try await TestApp()
        app.reads.close()
        #expect(app.names.isEmpty)
        try await app.client.loading(at: app.reads) {
            #expect(app.model.isLoading)
        }
        #expect(!app.model.isLoading)
        #expect(app.names == ["Oslo", "Rome"])
        app.reads.open()
        await app.appear()
        #expect(app.model.totalDays == 7)
    }

    @Test func `a list that fails to load shows the error, and a retry loads it`() async throws {
        let app = try await TestApp()
        app.reads.failOnce(with: DiskError())
        _ = app.names
        await app.client.settled()
        #expect(app.model.problem == "The disk is broken.")
        app.model.retry()
        await app.client.settled()
        #expect(app.model.problem == nil)
        #expect(app.names == ["Oslo", "Rome"])
    }

    @Test func `while the user types, the old trips stay until the search has a result`() async throws {
        let app = try await TestApp()
        await app.appear()
        app.reads.close()
        for text in ["r", "ro", "rom"] {
            app.model.search = text
            #expect(app.names == ["Oslo", "Rome"])
        }
        try await app.client.loading(at: app.reads) {
            #expect(app.names == ["Oslo", "Rome"])
        }
        #expect(app.names == ["Rome"])
    }

    @Test func `a search without matches shows no trips, and an empty search shows all`() async throws {
        let app = try await TestApp()
        await app.appear()
        app.model.search = "x"
        _ = app.names
        await app.client.settled()
        #expect(app.names.isEmpty)
        app.model.search = ""
        await app.client.settled()
        #expect(app.names == ["Oslo", "Rome"])
    }
}
