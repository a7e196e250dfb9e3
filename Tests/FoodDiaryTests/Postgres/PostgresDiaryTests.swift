#if Postgres
    import Foundation
    import PostgresTestSupport
    import QueryKit
    import TestSupport
    import Testing

    @testable import FoodDiaryKit
    @testable import FoodDiaryPostgres
    @testable import QueryKitPostgres

    /// What a diary on a server must do besides what every diary does: several machines write at the same time.
    @Suite(.timeLimit(.minutes(10)), .enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"))
    struct PostgresDiaryTests {
        /// Machines that share a diary, each with connections of its own.
        private static func machines(_ count: Int) async throws -> [FoodDiaryRepositories] {
            let url = try await ServerDiaries.shared.url()
            var machines: [FoodDiaryRepositories] = []
            for _ in 0..<count {
                let configuration = ServerDiaries.configuration(isFollowed: false)
                machines.append(FoodDiaryRepositories(try await PostgresDatabase.openFoodDiary(url, configuration: configuration)))
            }
            return machines
        }

        @Test func `a call that several machines make at the same time is made once`() async throws {
            let machines = try await Self.machines(4)
            let key = UUID()
            let logged = try await withThrowingTaskGroup(of: [FoodEntry].self) { group in
                for machine in machines { group.addTask { try await machine.entries.add([Meal.draft("a"), Meal.draft("b")], key: key) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(logged).count == 1 && logged[0].map(\.name) == ["a", "b"])
            #expect(try await machines[0].totals.total(on: Meal.day).entryCount == 2)
        }

        @Test func `totals and usage are exact after machines have logged, edited and deleted at the same time`() async throws {
            let machines = try await Self.machines(4)
            let foods = [try await machines[0].save(Meal.ingredient("Rice")), try await machines[0].save(Meal.ingredient("Bread"))]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, machine) in machines.enumerated() {
                    group.addTask {
                        for round in 0..<15 {
                            let foods = number.isMultiple(of: 2) ? foods : foods.reversed()
                            let drafts = foods.map {
                                Meal.draft("x", .ingredient($0.id), on: Meal.day.advanced(by: round % 3), at: Double(round))
                            }
                            let added = try await machine.entries.add(drafts, key: nil)
                            _ = try await machine.entries.edit(added[0].id, to: Meal.draft("y", .ingredient(foods[1].id), grams: 50))
                            if round.isMultiple(of: 3) { _ = try await machine.entries.delete([added[1].id]) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await machines[0].entries.recentEntries(limit: .max).count == 4 * (30 - 5))
            for machine in machines { #expect(try await machine.totals.check().isSound) }
            #expect(try await machines[0].totals.recalculate(in: Meal.all) == [])
        }

        @Test func `two imports of the same entries at the same time add each entry once`() async throws {
            let machines = try await Self.machines(2)
            let drafts = (0..<60).map { Meal.draft("food \($0 % 7)", at: Double($0 % 24)) }
            let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                for machine in machines {
                    let batches = Batches([Array(drafts[..<30]), Array(drafts[30...])])
                    group.addTask { try await machine.entries.importEntries(leavingOutKnown: true, batches.next) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(counts.sorted() == [0, 60])
            #expect(try await machines[0].totals.total(on: Meal.day).entryCount == 60)
        }

        @Test func `of two machines that save the same name at the same time one is told that the name is taken`() async throws {
            let machines = try await Self.machines(2)
            for number in 0..<10 {
                let outcomes = await withTaskGroup(of: FoodDiaryError.Code?.self) { group in
                    for machine in machines {
                        group.addTask {
                            do {
                                _ = try await machine.save(Meal.ingredient("Food \(number)"))
                                return nil
                            } catch { return (error as? FoodDiaryError)?.code ?? FoodDiaryError.Code(rawValue: "\(error)") }
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(outcomes.contains(nil) && outcomes.contains(.duplicate), "\(outcomes)")
            }
        }

        @Test func `a search finds and corrects the words of ingredients that another machine has saved, renamed or deleted`() async throws
        {
            let machines = try await Self.machines(2)
            func found(_ typed: String) async throws -> [String] {
                try await machines[0].ingredients.search(typed, category: nil, limit: 20).map(\.name)
            }
            _ = try await machines[0].save(Meal.ingredient("Rice"))
            #expect(try await found("rise") == ["Rice"])
            let quince = try await machines[1].save(Meal.ingredient("Quince jelly"))
            #expect(try await found("qunce") == ["Quince jelly"])
            _ = try await machines[1].save(Meal.ingredient("Papaya jelly"), as: quince.id)
            #expect(try await found("qunce") == [])
            #expect(try await found("papya") == ["Papaya jelly"])
            try await machines[1].totals.rebuild()
            #expect(try await found("papya jely") == ["Papaya jelly"])
            _ = try await machines[1].ingredients.delete(quince.id)
            #expect(try await found("papaya") == [])
        }

        @Test func `an ingredient that one machine deletes while another logs it leaves an entry without it, or an error`() async throws {
            let machines = try await Self.machines(2)
            for _ in 0..<20 {
                let rice = try await machines[0].save(Meal.ingredient("Rice"))
                async let isDeleted = machines[1].ingredients.delete(rice.id)
                do {
                    _ = try await machines[0].entries.add(Meal.draft("rice", .ingredient(rice.id)))
                } catch let error as FoodDiaryError {
                    #expect(error.code == .notFound)
                }
                #expect(try await isDeleted)
            }
            #expect(try await machines[0].totals.check().isSound)
        }

        @Test func `names of any length and letters are saved, found and removed`() async throws {
            let diary = try await Self.machines(1)[0]
            // Each of these letters stands for a phrase of 18 letters, so the key is too long for an index of PostgreSQL.
            let phrases = String(repeating: "\u{FDFA}", count: 200)
            for name in [phrases, "\"quoted\" \\ 'food', {1}", "🍕", "NULL", "牛乳と卵", "é\u{301}\u{327}"] {
                let ingredient = try await diary.save(Ingredient.Draft(name: name, aliases: [name, "a,\"b\""], nutrients: .zero))
                #expect(ingredient.draft == (try await diary.ingredients.ingredients([ingredient.id]).first?.draft), "\(name)")
                #expect(try await diary.ingredients.search(name, category: nil, limit: 5).contains(ingredient), "\(name)")
                let entry = try await diary.entries.add(Meal.draft(name, .named(name)))
                #expect(entry.ingredientID == ingredient.id)
                #expect(try await diary.entries.entry(entry.id) == entry)
            }
            #expect(try await diary.totals.check().isSound)
            #expect(try await diary.ingredients.search("\0", category: nil, limit: 5) == [])
        }

        @Test(arguments: [Double(-62_135_596_800), -1, 0.001, 1_795_000_000.123, 253_402_300_799.999])
        func `a moment is stored to the millisecond, in all years`(seconds: Double) async throws {
            let diary = try await Self.machines(1)[0]
            var draft = Meal.draft("x")
            draft.moment = FoodMoment(Date(timeIntervalSince1970: seconds), in: .gmt)
            let entry = try await diary.entries.add(draft)
            #expect(try await diary.entries.entry(entry.id) == entry)
            #expect(entry.moment.date == Date(timeIntervalSince1970: seconds))
            #expect(try await diary.entries.entries(in: Meal.all, below: entry.position, limit: 9) == [])
            let next = FoodEntry.Position(day: entry.day, milliseconds: entry.moment.milliseconds, id: FoodEntry.ID(rawValue: .max))
            #expect(try await diary.entries.entries(in: Meal.all, below: next, limit: 9) == [entry])
        }

        @Test func `a day of an invalid date has no entries`() async throws {
            let diary = try await Self.machines(1)[0]
            _ = try await diary.entries.add(Meal.draft("x"))
            #expect(try await diary.entries.entries(on: .none, limit: 9) == [])
            #expect(try await diary.totals.total(on: .none).entryCount == 0)
        }

        @Test func `a check finds damaged totals and words, and a rebuild mends them`() async throws {
            let url = try await ServerDiaries.shared.url()
            let database = try await PostgresDatabase.openFoodDiary(url, configuration: ServerDiaries.configuration(isFollowed: false))
            let diary = FoodDiaryRepositories(database)
            let rice = try await diary.save(Meal.ingredient("Rice"))
            let bread = try await diary.save(Meal.ingredient("Bread"))
            _ = try await diary.entries.add(Meal.draft("x", .ingredient(rice.id)))
            try await database.write { db in
                try await db.execute("UPDATE daily_totals SET kilocalories = kilocalories + 1")
                try await db.execute("UPDATE hourly_counts SET hour = 3")
                try await db.execute("UPDATE ingredients SET usage_count = 7 WHERE id = \(rice.id.rawValue)")
                try await db.execute("DELETE FROM ingredient_names WHERE ingredient = \(bread.id.rawValue)")
            }
            let check = try await diary.totals.check()
            #expect(check.totals.first == [Meal.day] && check.hours.first == [Meal.day])
            #expect(check.usage.first == [rice.id] && check.index.first == [bread.id])
            try await diary.totals.rebuild()
            #expect(try await diary.totals.check().isSound)
            await database.close()
        }

        @Test func `an index that older rules have built is rebuilt when the diary is opened`() async throws {
            let url = try await ServerDiaries.shared.url()
            let configuration = ServerDiaries.configuration(isFollowed: false)
            let old = try await PostgresDatabase.openFoodDiary(url, configuration: configuration)
            _ = try await FoodDiaryRepositories(old).save(Meal.ingredient("Rice"))
            try await old.write { db in
                try await db.execute("UPDATE ingredient_terms_version SET rules = 0")
                try await db.execute("DELETE FROM ingredient_search")
            }
            let new = FoodDiaryRepositories(try await PostgresDatabase.openFoodDiary(url, configuration: configuration))
            #expect(try await new.totals.check().isSound)
            #expect(try await new.ingredients.search("rice", category: nil, limit: 5).count == 1)
            await old.close()
        }

        @Test func `a write that the schema refuses changes nothing`() async throws {
            let database = try await ServerDiaries.shared.database()
            await #expect(throws: PostgresError.self) {
                try await database.write { db in
                    try await db.execute(each: [
                        "INSERT INTO daily_totals SELECT '2026-11-21', 1, 0, 0, 0, 0, 0, 0, 0, 0",
                        "INSERT INTO hourly_counts VALUES ('2026-11-21', 24, 1)",
                    ])
                }
            }
            let days = try await FoodDiaryRepositories(database).totals.totals(in: Meal.all, limit: 9)
            #expect(days == [])
        }
    }
#endif
