import Foundation
import QueryKit
import QueryKitSQLite
package import Terminal

/// What a person is told when something goes wrong, and the code with which the process ends: 1 failed, 2 words that make no call, 130 interrupted.
package enum Failure {
    package static func told(on console: Console, _ work: (Console) async throws -> Int32) async -> Int32 {
        do { return try await work(console) } catch { return told(error, on: console) }
    }

    package static func told(_ error: any Error, on console: Console) -> Int32 {
        switch error {
        case let error as OutputError where error.isHangUp:
            // As for any program that the signal ends.
            return 128 + SIGPIPE
        case let error as UsageError:
            console.remark("\(error.description)")
            return 2
        case let error as Obstacle:
            console.remark("\(error.description)")
            return 1
        case let error as AmbiguousFood:
            let best = error.candidates.first?.name ?? error.name
            console.remark("\"\(error.name)\" may be several; say which, such as: food-diary log \"\(best)\" 100g")
            for line in SearchScreen(typed: error.name, found: error.candidates).lines(width: console.width) { console.remark("  \(line)") }
            return 2
        case let error as FoodDiaryError where error.code == .invalid:
            console.remark("\(error.message)")
            return 2
        case let error as QueryError where error.code == .invalidParameters:
            console.remark("\(error.message)")
            return 2
        case let error as SQLiteError where error.code == .cannotOpen || error.code == .newerSchema:
            console.remark("\(error.message)")
            return 1
        case is CancellationError:
            console.remark("Interrupted.")
            return 130
        default:
            for line in "\(error)".split(separator: "\n") { console.remark("\(String(line))") }
            return 1
        }
    }
}
