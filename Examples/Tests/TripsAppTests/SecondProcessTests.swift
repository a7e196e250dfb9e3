import QueryKit
import QueryKitSQLite
import QueryKitTesting
import Testing
import TripsApp

/// Two processes with the same file, and the command line.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct SecondProcessTests {
    @Test func `the list and the total are updated when another process writes`() async throws {
        let other = try SecondProcess()
        let app = try await TestApp(.file(other.file))
        await app.appear()
        let list = StateRecorder(app.client.store(for: Trip.all()))
        let total = StateRecorder(app.client.store(for: Trip.totalDays))
        #expect(try other.trips("add", "Lisbon", "2027-01-10", "5").code == 0)
        _ = await list.first { $0.value?.count == 3 }
        _ = await total.first { $0.value == 12 }
        await app.client.settled()
        #expect(app.names == ["Oslo", "Lisbon", "Rome"])
        #expect(app.model.totalDays == 12)

        #expect(try other.trips("delete", "Oslo").code == 0)
        _ = await list.first { $0.value?.count == 2 }
        await app.client.settled()
        #expect(app.names == ["Lisbon", "Rome"])
    }

    @Test func `the details of a trip show a stop that another process adds`() async throws {
        let other = try SecondProcess()
        let app = try await TestApp(.file(other.file))
        await app.appear()
        let details = StateRecorder(app.client.store(for: Trip.details(of: try app.trip("Rome").id)))
        #expect(try other.trips("stop", "Rome", "Trastevere", "2").code == 0)
        let shown = await details.first { $0.value??.stops.isEmpty == false }
        #expect(shown?.value??.stops == [Stop(place: "Trastevere", nights: 2)])
    }

    @Test func `another process lists a renamed trip with its new name`() async throws {
        let other = try SecondProcess()
        let app = try await TestApp(.file(other.file))
        await app.appear()
        let rome = try app.trip("Rome")
        app.model.submit { .rename(rome, to: "Roma") }
        await app.client.settled()
        #expect(try other.trips("list", "rom").output == "2027-03-01  Roma, 4 days\n")
        #expect(try other.trips("show", "Roma").output == "2027-03-01  Roma, 4 days\n")
    }

    @Test func `help is printed to standard output`() throws {
        let help = try SecondProcess().trips("--help")
        #expect(help.code == 0)
        #expect(help.output.hasPrefix("Keeps a list of trips in a file.\n"))
    }

    @Test(arguments: [
        (["fly"], 2, "There is no command \"fly\". See: trips --help"),
        (["add"], 2, "Write: trips add NAME [DAY] [DAYS]"),
        (["add", "Oslo", "2026-12-01", "many"], 2, "\"many\" is not a number of days. Write 1 or more."),
        (["--file"], 2, "Write: trips --file PATH COMMAND"),
        (["add", "Oslo", "tomorrow"], 1, "\"tomorrow\" is not a day. Write it as 2026-12-01."),
        (["delete", "Oslo"], 1, "There is no trip named \"Oslo\"."),
    ])
    func `an invalid call prints one error sentence and ends with code 1 or 2`(words: [String], code: Int32, sentence: String) throws {
        let outcome = try SecondProcess().trips(words)
        #expect(outcome == .init(code: code, output: "", complaint: "trips: \(sentence)\n"))
    }
}
