import Foundation
import QueryKit
import QueryKitSQLite
import Testing

@testable import PreferencesApp

/// The program in a separate process, as a user or a script runs it.
@Suite(.timeLimit(.minutes(5)), .serialized) struct CommandTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @Test @MainActor func `a preference that another process writes is shown`() async throws {
        let database = try await SQLiteDatabase.open(.file(folder.file), migrations: SQLitePreferences.migrations)
        let client = PreferencesProgram.client(for: database, secrets: folder.url)
        let model = PreferencesModel(client: client)
        #expect(!model.state.amoled)
        await client.settled()
        #expect(try folder.run("set", "amoled", "on").code == 0)
        for await isOn in model.state.$amoled.store.select(\.value) where isOn == true { break }
        await client.settled()
        #expect(model.state.amoled && model.state.$amoled.cause == .otherProcess)
        await database.close()
    }

    @Test func `list prints the preferences that were set, and only whether there is a token`() throws {
        #expect(try folder.run("list").output == "amoled    off\naccent    blue\ntextSize  14\ntoken     none\n")
        for (name, value) in [("amoled", "on"), ("accent", "green"), ("textSize", "18")] {
            #expect(try folder.run("set", name, value).code == 0)
        }
        #expect(try folder.run("token", typed: "s3cr3t\n").code == 0)
        let list = try folder.run("--file", "preferences.sqlite", "list")
        #expect(list == (0, "amoled    on\naccent    green\ntextSize  18\ntoken     saved\n", ""))
        #expect(try folder.mode(of: ".preferences-secrets/token") == 0o600)
    }

    @Test func `each profile has its own preferences and its own token`() throws {
        #expect(try folder.run("--profile", "work", "set", "accent", "green").code == 0)
        #expect(try folder.run("--profile", "work", "token", typed: "s3cr3t\n").code == 0)
        let work = try folder.run("--profile", "work", "list")
        #expect(work == (0, "amoled    off\naccent    green\ntextSize  14\ntoken     saved\n", ""))
        #expect(try folder.run("list").output == "amoled    off\naccent    blue\ntextSize  14\ntoken     none\n")
    }

    @Test func `status asks the server of the settings, and says when it can't be reached`() throws {
        // Port 9 of this computer: nothing listens there.
        #expect(try folder.run("set", "server", "http://127.0.0.1:9").code == 0)
        let status = try folder.run("status")
        #expect(status == (0, "server    http://127.0.0.1:9 can't be reached\ntimeout   10\n", ""))
    }

    @Test(
        arguments: [
            (["lst"], "There is no command \"lst\"; for help: preferences --help"),
            (["list", "all"], "list takes nothing else: preferences list"),
            (["set", "amoled"], "set needs a name and a value, such as: preferences set amoled on"),
            (["set", "amoled", "yes"], "\"yes\" is not on or off, such as: preferences set amoled on"),
            (["set", "accent", "red"], "\"red\" is not blue, green or orange, such as: preferences set accent green"),
            (["set", "textSize", "99"], "\"99\" is not a number from 8 to 32, such as: preferences set textSize 16"),
            (
                ["set", "font", "Inter"],
                "There is no preference \"font\"; the preferences are amoled, accent, textSize, server and timeout."
            ),
            (["set", "server", "x"], "\"x\" is not the address of a server, such as: preferences set server https://example.org"),
            (["set", "timeout", "0"], "\"0\" is not a number from 1 to 300, such as: preferences set timeout 10"),
            (["--profile"], "--profile needs a name, such as: preferences --profile work list"),
            (["--file"], "--file needs a file, such as: preferences --file app.sqlite list"),
        ]
    )
    func `an invalid call is refused with a message that says what to write`(words: [String], message: String) {
        let error = #expect(throws: UsageError.self) { try Invocation(words) }
        #expect(error?.description == message)
    }

    @Test func `the exit code is 0 for success, 2 for an invalid call and 1 for a failure`() throws {
        #expect(try folder.run("--help") == (0, Invocation.help + "\n", ""))
        let wrong = try folder.run("lst")
        #expect(wrong == (2, "", "There is no command \"lst\"; for help: preferences --help\n"))
        #expect(try folder.run("token").code == 2)
        try Data("This is not a database.".utf8).write(to: folder.file)
        let refused = try folder.run("list")
        #expect(refused.code == 1 && refused.errors.contains("preferences.sqlite"), "\(refused)")
    }
}
