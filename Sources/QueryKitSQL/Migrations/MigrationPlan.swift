/// The parts of a migration that a plan compares with the applied migrations.
package protocol MigrationStep {
    var name: String { get }
    var script: String { get }
    /// Represents the closure of the migration in the checksum, because the code of a closure can't be compared; `nil` if there is no
    /// closure.
    var revision: Int? { get }
}

extension MigrationStep {
    package var checksum: Int64 { "\(name)\0\(script)\0\(revision ?? 0)".checksum }
}

extension String {
    /// A checksum (FNV-1a). It is stored, so it must be the same in every process.
    package var checksum: Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int64(bitPattern: hash)
    }
}

/// A migration that has been applied to a database.
package struct AppliedMigration: Equatable, Sendable {
    package let name: String
    package let checksum: Int64

    package init(name: String, checksum: Int64) {
        self.name = name
        self.checksum = checksum
    }
}

/// Why a database can't be used with the migrations of the app.
package enum MigrationRefusal: Error, Equatable {
    /// The database has a migration that the app doesn't know.
    case newerSchema(message: String)
    /// The migrations contradict each other or those that were applied.
    case contradiction(message: String)
}

/// Decides which migrations a database still needs.
package struct MigrationPlan<Step: MigrationStep> {
    /// The migrations that are still to be applied, in order.
    package let pending: [Step]

    package init(comparing steps: [Step], with applied: [AppliedMigration]) throws(MigrationRefusal) {
        var seen: Set<String> = []
        for step in steps where !seen.insert(step.name).inserted {
            throw .contradiction(message: "Two migrations have the name \"\(step.name)\". Rename one of them.")
        }
        for (index, applied) in applied.enumerated() {
            guard index < steps.count, seen.contains(applied.name) else {
                throw .newerSchema(
                    message:
                        "The database was written by a newer version of the app: it has the migration \"\(applied.name)\", which is unknown here. Update the app."
                )
            }
            let step = steps[index]
            guard step.name == applied.name else {
                throw .contradiction(
                    message:
                        "Migration \(index + 1) of the database is \"\(applied.name)\", but the app's is \"\(step.name)\". Add new migrations at the end."
                )
            }
            guard step.checksum == applied.checksum else {
                throw .contradiction(
                    message:
                        "The migration \"\(step.name)\" has changed since it was applied to the database. Restore its old text, and add a new migration."
                )
            }
        }
        pending = Array(steps.dropFirst(applied.count))
    }
}
