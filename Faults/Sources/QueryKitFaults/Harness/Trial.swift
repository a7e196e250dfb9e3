import Foundation
import QueryKitSQLite

/// A fault that is being tried: its folder, its dice, and its results.
final class Trial {
    let name: String
    let folder: URL
    let plan: Plan
    var dice: Dice
    var tally = Tally()
    private(set) var notes: [String] = []
    private(set) var failures: [String] = []
    private(set) var checkCount = 0

    init(_ name: String, in folder: URL, _ plan: Plan) {
        self.name = name
        self.folder = folder
        self.plan = plan
        dice = Dice(plan.seed, name)
    }

    func run(_ body: (Trial) async throws -> Void) async {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try await body(self)
        } catch {
            fail("it ended with \(error)")
        }
    }

    func file(_ name: String) -> URL { folder.appending(path: name) }

    /// The text of the fault's line.
    var line: String { (notes + ["\(checkCount) checks"]).joined(separator: ", ") }

    func note(_ text: String) { notes.append(text) }

    func fail(_ sentence: String) { failures.append(sentence) }

    func check(_ holds: Bool, _ sentence: @autoclosure () -> String) {
        checkCount += 1
        if !holds { fail(sentence()) }
    }

    func expect<Value: Equatable>(_ found: Value, _ wanted: Value, _ subject: String) {
        check(found == wanted, "\(subject): \(found) instead of \(wanted)")
    }

    /// Checks that the body fails with one of these codes, and with a message that contains a text.
    func expectError(
        _ codes: [SQLiteError.Code],
        saying text: String = "",
        _ subject: String,
        _ body: () async throws -> Void
    ) async {
        do {
            try await body()
            check(false, "\(subject) succeeded, but should have failed")
        } catch let error as SQLiteError {
            check(
                codes.contains(error.code) && (text.isEmpty || error.message.contains(text)),
                "\(subject) failed with another error: \(error)"
            )
        } catch {
            check(false, "\(subject) failed with an error that is not an SQLiteError: \(error)")
        }
    }

    /// Checks that the body either succeeds or fails with an error of the database.
    @discardableResult
    func expectOutcome(_ subject: String, _ body: () async throws -> Void) async -> SQLiteError? {
        do {
            try await body()
            checkCount += 1
        } catch let error as SQLiteError {
            check(!error.message.isEmpty, "\(subject) failed without a message")
            return error
        } catch {
            check(false, "\(subject) failed with an error that is not an SQLiteError: \(error)")
        }
        return nil
    }

    /// Checks that the body succeeds.
    func expectSuccess(_ subject: String, _ body: () async throws -> Void) async {
        do {
            try await body()
            checkCount += 1
        } catch {
            check(false, "\(subject) failed: \(error)")
        }
    }

    // MARK: From a child

    /// Sends the results from a child to the parent.
    func report() {
        for failure in failures { Role.say("failure \(failure.replacing("\n", with: " "))") }
        for note in notes { Role.say("note \(note)") }
        Role.say("checks \(checkCount)")
    }

    /// Takes over the results of a child, and checks that it ends normally.
    func adopt(_ child: Child, _ subject: String) async {
        var isComplete = false
        while let line = await child.line() {
            let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
            switch (parts.first, parts.last) {
            case ("failure", let text?): fail("\(subject): \(text)")
            case ("note", let text?): note(text)
            case ("checks", let text?):
                checkCount += Int(text) ?? 0
                isComplete = true
            default: break
            }
        }
        let ending = await child.end()
        if ending.isCrash { tally.crashes += 1 }
        if !isComplete || ending != .exit(0) { fail("\(subject): the process ended with \(ending)") }
    }
}
