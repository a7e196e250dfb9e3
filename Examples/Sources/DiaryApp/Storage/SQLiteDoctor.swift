package import FoodDiaryKit
import FoodDiarySQLite
import Foundation
package import QueryKitSQLite

/// The doctor of a diary in a database.
package struct SQLiteDoctor: DiaryDoctor {
    private let database: SQLiteDatabase
    private let totals: any DailyTotalRepository

    package init(_ database: SQLiteDatabase) {
        self.database = database
        totals = FoodDiaryRepositories(database).totals
    }

    package func health() -> DiaryHealth {
        let report = database.report
        return DiaryHealth(
            DiaryHealth.Storage(report.outcome),
            notices: report.unacknowledged.map { RecoveryNotice($0) }
        )
    }

    package func acknowledge() async throws { try await database.acknowledgeRecoveries() }

    package func check() async throws -> FoodDiaryCheck { try await totals.check() }

    package func rebuild() async throws { try await totals.rebuild() }
}

extension DiaryHealth.Storage {
    init(_ outcome: SQLiteReport.Outcome) {
        self =
            switch outcome {
            case .healthy: .sound
            case .recovered: .recovered
            case .quarantined: .replaced
            case .inMemory(let reason): .inMemory(because: reason)
            }
    }
}

extension RecoveryNotice {
    init(_ recovery: SQLiteReport.Recovery) {
        self.init(
            date: recovery.date,
            cause: recovery.cause,
            damagedFile: recovery.quarantine?.lastPathComponent,
            days: recovery.missingEntries.map { Day($0.key, missing: $0.value) }.sorted {
                $0.day < $1.day
            }
        )
    }
}
