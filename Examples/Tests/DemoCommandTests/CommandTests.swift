import Testing

@testable import DemoCommand

@Suite struct CommandTests {
    private let parts = ["shared", "freshness", "retry"]

    @Test func `without arguments all parts run`() throws {
        #expect(try Command([], parts: parts) == .run(parts))
    }

    @Test func `named parts run once each, in the order of their names`() throws {
        #expect(try Command(["retry", "shared", "retry"], parts: parts) == .run(["retry", "shared"]))
    }

    @Test func `help comes before the list, and the list before parts`() throws {
        #expect(try Command(["retry", "--list", "-h"], parts: parts) == .help)
        #expect(try Command(["retry", "--list"], parts: parts) == .list)
    }

    @Test(
        arguments: [
            ("rety", "There is no part \"rety\"; did you mean: querykit-demo retry"),
            ("RETRY", "There is no part \"RETRY\"; did you mean: querykit-demo retry"),
            ("help", "There is no part \"help\"; did you mean: querykit-demo --help"),
            ("--lits", "There is no option \"--lits\"; did you mean: querykit-demo --list"),
            ("--retry", "There is no option \"--retry\"; did you mean: querykit-demo retry"),
            ("banana", "There is no part \"banana\"; to see what there is: querykit-demo --list"),
            ("", "There is no part \"\"; to see what there is: querykit-demo --list"),
            ("--", "There is no option \"--\"; to see what there is: querykit-demo --list"),
        ]
    )
    func `an unknown argument is answered with the nearest correct form`(argument: String, answer: String) {
        do {
            Issue.record("It was taken for \(try Command(["shared", argument], parts: parts))")
        } catch {
            #expect(error.description == answer)
        }
    }
}
