package import FoodDiaryKit
import Foundation

#if Postgres
    import FoodDiaryPostgres
    import QueryKitPostgres
#endif

/// A diary on a PostgreSQL server, which several machines share. A connection string takes the place of the file.
package struct DiaryServer: Hashable, Sendable {
    /// The connection string.
    private let url: String

    /// The connection string without its password, for messages.
    package let name: String

    /// Takes the server from the option, or else from the environment. Returns `nil` if the string is the path of a file, or if there is
    /// none.
    package init?(option: String?, environment: [String: String]) {
        guard let url = option ?? environment["FOOD_DIARY_DB"], ["postgresql://", "postgres://"].contains(where: url.hasPrefix) else {
            return nil
        }
        self.url = url
        name = Self.withoutPassword(url)
    }

    /// The server for this process.
    package static func current(option: String?) -> DiaryServer? {
        DiaryServer(option: option, environment: ProcessInfo.processInfo.environment)
    }

    /// Throws if a command works only on a diary in a file.
    package func check(_ command: DiaryCommand) throws {
        guard case .doctor(let repair, let acknowledges) = command else { return }
        if repair == .anyFile {
            throw CommandError(
                "doctor --force recovers damaged files, but this diary is on a server. If it is damaged, restore a backup. To make a backup: pg_dump --file diary.sql \"\(name)\""
            )
        }
        if acknowledges {
            throw CommandError(
                "doctor --acknowledge confirms the recovery of a damaged file, but this diary is on a server. To check it: food-diary doctor"
            )
        }
    }

    /// Opens the diary, and creates its tables if they don't exist.
    package func open() async throws -> FoodDiary {
        #if Postgres
            return try await FoodDiary.open(postgres: url)
        #else
            throw errorWithoutPostgres
        #endif
    }

    /// The error of a program that was built without PostgreSQL.
    package var errorWithoutPostgres: CommandError {
        CommandError(
            "This food-diary was built without PostgreSQL. To build one that can open \(name): swift build --package-path Examples --scratch-path Examples/.build-postgres --traits Postgres --product food-diary"
        )
    }

    /// Removes the password between the user and the host, and passwords among the parameters (PostgreSQL's documentation, Connection
    /// URIs).
    private static func withoutPassword(_ url: String) -> String {
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var place = String(parts[0])
        let start = place.range(of: "://")?.upperBound ?? place.startIndex
        // A password may contain an unescaped slash.
        if let sign = place[start...].lastIndex(of: "@"), let colon = place[start..<sign].firstIndex(of: ":") {
            place.removeSubrange(colon..<sign)
        }
        guard parts.count > 1 else { return place }
        let secrets = ["password=", "sslpassword="]
        let rest = parts[1].split(separator: "&").filter { parameter in !secrets.contains { parameter.hasPrefix($0) } }
        return rest.isEmpty ? place : place + "?" + rest.joined(separator: "&")
    }
}

extension FoodDiary {
    /// Closes the connections to a server, if the diary is on one.
    func closeServer() async {
        #if Postgres
            await postgresDatabase?.close()
        #endif
    }
}

extension FaultText {
    /// What happened on a server, and what to do next; `nil` for other errors.
    static func serverSentence(_ error: any Error) -> String? {
        #if Postgres
            guard let error = error as? PostgresError else { return nil }
            // The texts of a server end without a period.
            let sentence = error.message + (error.message.last.map { ".!?".contains($0) } == true ? "" : ".")
            return [sentence, error.hint].compactMap(\.self).joined(separator: " ")
        #else
            return nil
        #endif
    }
}
