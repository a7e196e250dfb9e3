import FoodDiaryKit
import Foundation
import QueryKitSQLite

/// Describes errors of the system and the database to users who know no SQL and have no settings to change.
package enum FaultText {
    static func sentence(_ error: SQLiteError) -> String {
        switch error.code {
        case .busy, .locked: "Another process is writing to the diary and did not finish in time. Try again in a moment."
        case .full: "The disk is full, so nothing was changed. Make room, and try again."
        case .readOnly, .permission: "You can't write to the diary or its folder, which is necessary even to show a diary."
        case .corrupt:
            "\(whole(error.message)) Nothing was changed. Close other programs that have the diary open, and try again: food-diary doctor --repair"
        // It may be another program's file, which a repair would replace with a new diary.
        case .notADatabase: whole(error.message)
        case .inputOutput: "The disk could not be read or written: \(whole(error.message))"
        case .error: "The diary's file does not have the structure of a diary: \(whole(error.message)) To check it: food-diary doctor"
        default: error.message
        }
    }

    /// The reason why a file couldn't be read or written, in the words of the system.
    package static func reason(_ error: any Error) -> String {
        if let error = error as? POSIXError { return String(cString: strerror(error.code.rawValue)) }
        guard let error = error as? CocoaError else { return "\(error)" }
        return error.underlying.map(reason) ?? error.localizedDescription
    }

    /// Adds a full stop, which SQLite's own messages don't have.
    private static func whole(_ sentence: String) -> String { sentence.hasSuffix(".") ? sentence : sentence + "." }
}
