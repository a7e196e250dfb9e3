import FoodDiaryKit

#if Postgres
    import FoodDiaryPostgres
    import PostgresTestSupport
    import QueryKitPostgres
#endif

/// A diary on a server for the comparison with other diaries, if there is a server.
struct ServerModel {
    let diaries: [FoodDiaryRepositories]

    #if Postgres
        private let database: PostgresDatabase?

        static func open() async throws -> ServerModel {
            let database = PostgresServer.url == nil ? nil : try await ServerDiaries.shared.database()
            return ServerModel(diaries: database.map { [FoodDiaryRepositories($0)] } ?? [], database: database)
        }

        /// Lets the next keys follow the last ones. A write that fails leaves a gap on a server, because other writers may have gone on.
        func closeGaps(after model: ReferenceDiary) async throws {
            try await database?.write { db in
                for (sequence, last) in [("entries_id_seq", model.lastEntry), ("ingredients_id_seq", model.lastIngredient)] {
                    _ = try await db.value(Int64.self, "SELECT setval(\(sequence)::text::regclass, \(max(last, 1)), \(last > 0))")
                }
            }
        }

        func close() async { await database?.close() }
    #else
        static func open() async throws -> ServerModel { ServerModel(diaries: []) }

        func closeGaps(after model: ReferenceDiary) async throws {}

        func close() async {}
    #endif
}
