package import FoodDiaryKit
import Foundation

#if Postgres
    import FoodDiaryPostgres
    import QueryKitPostgres
#endif

/// A diary on a PostgreSQL server, which several machines share, given by a connection string in place of a file.
package struct DiaryServer: Hashable, Sendable {
    /// The connection string.
    private let url: String

    /// The connection string without its password, for messages.
    package let name: String

    /// The server of the option, otherwise of the environment; `nil` if these name a file, or nothing.
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

    /// Throws if a command is about the file of a diary, which a server doesn't have.
    package func check(_ command: DiaryCommand) throws {
        guard case .doctor(let repair, let acknowledges) = command else { return }
        if repair == .anyFile {
            throw CommandError(
                "doctor --force saves what can be read of a damaged file, and this diary is on a server. Restore it from a backup; to make one: pg_dump --file diary.sql \"\(name)\""
            )
        }
        if acknowledges {
            throw CommandError(
                "doctor --acknowledge is about the recovery of a damaged file, and this diary is on a server. To check it: food-diary doctor"
            )
        }
    }

    /// Opens the diary, and creates its tables if they don't exist.
    package func open() async throws -> FoodDiary {
        #if Postgres
            return try await FoodDiary.open(postgres: url)
        #else
            throw CommandError(
                "This food-diary was built without PostgreSQL. To build one that can open \(name): swift build --package-path Examples --scratch-path Examples/.build-postgres --traits Postgres --product food-diary"
            )
        #endif
    }

    /// Hides the password between the user and the host, and the one among the parameters (PostgreSQL's documentation, Connection URIs).
    private static func withoutPassword(_ url: String) -> String {
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var place = String(parts[0])
        let start = place.range(of: "://")?.upperBound ?? place.startIndex
        let end = place[start...].firstIndex(of: "/") ?? place.endIndex
        if let sign = place[start..<end].lastIndex(of: "@"), let colon = place[start..<sign].firstIndex(of: ":") {
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
    /// A sentence for an error of a server; `nil` for other errors.
    static func serverSentence(_ error: any Error) -> String? {
        #if Postgres
            return (error as? PostgresError)?.message
        #else
            return nil
        #endif
    }
}
