import FoodDiaryKit
import Foundation
import QueryKit
import QueryKitSQLite
package import Terminal

/// A failure as reported to the caller, with the exit code of the process: 1 failed, 2 invalid arguments, 130 interrupted.
package struct Failure: Sendable {
    package let code: Int32
    package let message: String

    /// The ingredients that may have been meant.
    let candidates: [Ingredient]

    package static func told(on console: Console, _ work: (Console) async throws -> Int32) async -> Int32 {
        do { return try await work(console) } catch { return told(error, on: console) }
    }

    package static func told(_ error: any Error, on console: Console) -> Int32 {
        // The code of a program ended by the signal. The reader has closed the pipe, so there is no message.
        if let error = error as? OutputError, error.isHangUp { return 128 + SIGPIPE }
        let failure = Failure(error)
        failure.tell(on: console)
        return failure.code
    }

    init(_ error: any Error) {
        switch error {
        case let error as AmbiguousFood:
            let best = error.candidates.first?.name ?? error.name
            message = "\"\(error.name)\" matches several ingredients; choose one, such as: food-diary log \"\(best)\" 100g"
            (code, candidates) = (1, error.candidates)
            return
        case is CancellationError: (code, message) = (130, "Interrupted.")
        case let error as UsageError: (code, message) = (2, error.description)
        case let error as QueryError:
            if let underlying = error.underlying as? SQLiteError {
                (code, message) = (1, FaultText.sentence(underlying))
            } else if let sentence = error.underlying.flatMap({ FaultText.serverSentence($0) }) {
                (code, message) = (1, sentence)
            } else {
                (code, message) = (error.code == .invalidParameters ? 2 : 1, error.message)
            }
        case let error as SQLiteError: (code, message) = (1, FaultText.sentence(error))
        case let error as FoodDiaryError: (code, message) = (1, error.message)
        case is CommandError, is OutputError: (code, message) = (1, "\(error)")
        default: (code, message) = (1, FaultText.serverSentence(error) ?? FaultText.reason(error))
        }
        candidates = []
    }

    private func tell(on console: Console) {
        if console.isJSON { return console.remark(json: Answer(error: .init(code: code, message: message, candidates: candidates))) }
        for line in message.split(separator: "\n") { console.remark("\(String(line))") }
        guard !candidates.isEmpty else { return }
        for line in SearchScreen(typed: "", found: candidates).lines(width: console.width) { console.remark("  \(line)") }
    }

    /// The error for scripts.
    private struct Answer: Encodable {
        struct Told: Encodable {
            let code: Int32
            let message: String
            let candidates: [DiaryJSON.Food]

            init(code: Int32, message: String, candidates: [Ingredient]) {
                (self.code, self.message) = (code, message)
                self.candidates = candidates.map { DiaryJSON.Food($0) }
            }
        }

        let error: Told
    }
}
