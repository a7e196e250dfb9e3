#if Postgres
    import FoodDiaryKit
    import FoodDiaryPostgres
    import Foundation
    import PostgresTestSupport
    import QueryKitPostgres
    import Testing

    /// Diaries on the server of the tests, each in a database of its own: a copy of one that was migrated once.
    actor ServerDiaries {
        static let shared = ServerDiaries()

        private struct Used {
            let name: String
            weak var database: PostgresDatabase?
        }

        private var template: Task<String, any Error>?
        private var count = 0
        private var used: [Used] = []

        /// An empty diary. Its database is dropped after the last reference to it is gone.
        ///
        /// - Parameter isFollowed: Whether changes are reported, which takes another connection. Most tests need no reports.
        func database(isFollowed: Bool = false) async throws -> PostgresDatabase {
            let (url, name) = try await copy()
            let database = try await PostgresDatabase.openFoodDiary(url, configuration: Self.configuration(isFollowed: isFollowed))
            used.append(Used(name: name, database: database))
            return database
        }

        /// The connection string of an empty diary, which is dropped with the server.
        func url() async throws -> String { try await copy().url }

        /// The server allows 400 connections, and tests run side by side.
        static func configuration(isFollowed: Bool) -> PostgresDatabase.Configuration {
            var configuration = PostgresDatabase.Configuration()
            configuration.connectionLimit = 3
            configuration.isFollowed = isFollowed
            return configuration
        }

        private func copy() async throws -> (url: String, name: String) {
            let server = try #require(PostgresServer.url)
            let template = self.template ?? Task { try await Self.makeTemplate(server) }
            self.template = template
            let source = try await template.value
            count += 1
            let name = "\(source)_\(count)"
            let gone = used.filter { $0.database == nil }
            used.removeAll { $0.database == nil }
            for old in gone { try await PostgresDatabase.runOutsideTransaction("DROP DATABASE \(old.name) WITH (FORCE)", at: server) }
            try await PostgresDatabase.runOutsideTransaction("CREATE DATABASE \(name) TEMPLATE \(source) STRATEGY file_copy", at: server)
            return (Self.url(of: name, on: server), name)
        }

        private static func makeTemplate(_ server: String) async throws -> String {
            let name = "diary_\(UInt32.random(in: 0...UInt32.max))"
            try await PostgresDatabase.runOutsideTransaction("CREATE DATABASE \(name)", at: server)
            let database = try await PostgresDatabase.openFoodDiary(
                url(of: name, on: server),
                configuration: configuration(isFollowed: true)
            )
            await database.close()
            return name
        }

        private static func url(of name: String, on server: String) -> String {
            server.replacingOccurrences(of: "/postgres?", with: "/\(name)?")
        }
    }
#endif
