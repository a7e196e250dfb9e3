import Foundation
import HabitsApp
import Testing

@testable import HabitsCommand

/// The command line.
@Suite(.timeLimit(.minutes(2)))
struct CommandTests {
    @Test func `session prints what each way read, and that the screens were equal`() throws {
        let session = try SecondProcess().habits("session")
        #expect(session == .init(code: 0, output: Self.table, complaint: ""))
    }

    @Test func `a habit that was added and marked is shown with its streak`() throws {
        let program = try SecondProcess()
        #expect(try program.habits("show").output == "No habits yet. Add one: habits add NAME\n")
        for words in [["add", "Read"], ["add", "Write"], ["mark", "Read", "2026-11-21"], ["mark", "Read", "2026-11-22"]] {
            #expect(try program.habits(words).code == 0)
        }
        let screen = """
            2026-11-22: 1 of 2 done
              [x] Read   2 days
              [ ] Write
            The week: 2 of 14, 14 %; the best day: 2026-11-21

            """
        #expect(try program.habits("show", "2026-11-22").output == screen)
        #expect(try program.habits("unmark", "Read", "2026-11-22").code == 0)
        #expect(try program.habits("show", "2026-11-22").output.hasPrefix("2026-11-22: 0 of 2 done\n"))
    }

    @Test func `help is printed to standard output`() throws {
        #expect(try SecondProcess().habits("--help") == .init(code: 0, output: HabitsCall.helpText + "\n", complaint: ""))
    }

    @Test(arguments: [
        (["shwo"], 2, "There is no command \"shwo\". See: habits --help"),
        (["mark"], 2, "Write: habits mark NAME [DAY]"),
        (["session", "now"], 2, "Write: habits session"),
        (["--file"], 2, "Write: habits --file PATH COMMAND"),
        (["show", "tomorrow"], 1, "\"tomorrow\" is not a day. Write it as 2026-11-22."),
        (["mark", "Read"], 1, "There is no habit named \"Read\"."),
        (["add", " "], 1, "A habit needs a name."),
    ])
    func `an invalid call prints one error sentence and ends with code 1 or 2`(words: [String], code: Int32, sentence: String) throws {
        #expect(try SecondProcess().habits(words) == .init(code: code, output: "", complaint: "habits: \(sentence)\n"))
    }

    private static let table = """
        a  every tap reloads each of the four parts
        b  reads by query, writes by use case
        c  a data layer with queries, a presentation layer with domain types
        d  repositories return streams
        e  optimistic layers and automatic reactivity, fresh until changed

        statements that read             a       b       c       d       e
        open the app                    94      94      92      94      31
        complete ten habits            940     930     330     930      10
        look through the week, twice  2256     186     180     744       0
        a widget marks a habit           0       0       0       0       0
        return to the app               94      94      92      93       1
        look through the week again   1128     186     180     372       0
        total                         4512    1490     874    2233      42
        fewer than a                        67.0 %  80.6 %  50.5 %  99.1 %

        The screens of all ways were equal after each of 49 steps.

        """
}
