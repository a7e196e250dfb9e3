#if Postgres
    import PostgresTestSupport
    import QueryKitPostgres
    import QueryKitSQLite
    import Testing

    @testable import FoodDiaryKit
    @testable import FoodDiaryPostgres
    @testable import FoodDiarySQLite
    @testable import FoodDiarySamples

    /// The search on both databases. Their modules are imported together, as a program does that moves its data from one to the other.
    @Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(5)))
    struct ServerSearchTests {
        @Test func `misspelled names are found on a server exactly as in a file`() async throws {
            let (local, remote) = (try await Larder().repository, PostgresIngredientRepository(try await ServerDiaries.shared.database()))
            for draft in FoodDiarySample.some(400) {
                _ = try await local.save(draft, as: nil, correctingHistory: false)
                _ = try await remote.save(draft, as: nil, correctingHistory: false)
            }
            let expected = try await SearchEvaluation.run(repository: local, samples: 60, noise: 20)
            var evaluation = try await SearchEvaluation.run(repository: remote, samples: 60, noise: 20)
            evaluation.latency = expected.latency
            #expect(evaluation == expected && evaluation.oneError.recall >= 0.97)
        }

        @Test func `a statement has one type for both databases`() async throws {
            let statement: SQL = "SELECT CAST(\(20) AS integer) + 22"
            let file = try await SQLiteDatabase.open(.inMemory)
            let local = try await file.read { db in try db.value(Int.self, statement) }
            #expect(local == 42)
            try await PostgresServer.withOpenDatabase { server in
                let remote = try await server.read { db in try await db.value(Int.self, statement) }
                #expect(remote == 42)
            }
        }
    }
#endif
