package import FoodDiaryKit
package import Foundation

/// The state of the diary's file, and the recoveries that the user has not confirmed yet.
package struct DiaryHealth: Hashable, Sendable {
    /// How the file was found.
    package enum Storage: Hashable, Sendable {
        case sound
        /// The file was damaged, and its readable entries were saved into a new file.
        case recovered
        /// The file was damaged and unreadable. The diary began again, empty.
        case replaced
        /// The diary is only in memory, and is lost when the app ends.
        case inMemory(because: String)
    }

    package let storage: Storage
    package var notices: [RecoveryNotice]

    package init(_ storage: Storage = .sound, notices: [RecoveryNotice] = []) {
        (self.storage, self.notices) = (storage, notices)
    }
}

/// What a recovery of the diary has saved, and what is missing.
package struct RecoveryNotice: Hashable, Identifiable, Sendable {
    /// A day on which entries are missing.
    package struct Day: Hashable, Identifiable, Sendable {
        package let day: FoodDay
        package let missingCount: Int

        package var id: FoodDay { day }

        package init(_ day: FoodDay, missing count: Int) { (self.day, missingCount) = (day, count) }
    }

    package let date: Date
    package let cause: String
    /// The damaged file, which was set aside; `nil` if there is none.
    package let damagedFile: String?
    /// The days on which entries are missing, oldest first.
    package let days: [Day]

    package var id: Date { date }
    package var missingCount: Int { days.reduce(0) { $0 + $1.missingCount } }

    package init(date: Date, cause: String, damagedFile: String? = nil, days: [Day] = []) {
        (self.date, self.cause, self.damagedFile, self.days) = (date, cause, damagedFile, days)
    }
}

/// Reports the health of the diary, and checks and repairs it.
package protocol DiaryDoctor: Sendable {
    func health() async throws -> DiaryHealth

    /// Confirms that the user has read the notices, so that they are not shown again.
    func acknowledge() async throws

    /// Compares totals, counts and the search index with the entries. Reads the whole diary.
    func check() async throws -> FoodDiaryCheck

    /// Rebuilds totals, counts and the search index from the entries.
    func rebuild() async throws
}
