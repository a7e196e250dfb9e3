#if Postgres
    import Foundation
    import PostgresTestSupport
    import QueryKit
    import QueryKitPostgres
    import TestSupport
    import Testing

    @testable import FoodDiaryKit
    @testable import FoodDiaryPostgres

    /// Several machines with one diary: each has a client, which follows what the others commit.
    @Suite(.timeLimit(.minutes(10)), .enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"))
    struct PostgresFollowingTests {
        private static func machines(_ count: Int) async throws -> [FoodDiary] {
            let url = try await ServerDiaries.shared.url()
            var machines: [FoodDiary] = []
            for _ in 0..<count {
                let diary = try await FoodDiary.open(
                    postgres: url,
                    configuration: FoodDiary.configuration(.isolated),
                    databaseConfiguration: ServerDiaries.configuration(isFollowed: true)
                )
                machines.append(diary)
            }
            return machines
        }

        private func close(_ machines: [FoodDiary]) async { for machine in machines { await machine.postgresDatabase?.close() } }

        private func repositories(_ diary: FoodDiary) throws -> FoodDiaryRepositories { try #require(diary.client.context.foodDiary) }

        /// Observes a request, with its first value.
        private func watch<Request: QueryRequest>(_ request: Request, on diary: FoodDiary) async -> Watched<Request.State>
        where Request.State.StateValue: ExpressibleByNilLiteral {
            let store = diary.client.store(for: request)
            let subscription = store.subscribe(with: QueryEventHandler { _, _ in })
            await diary.client.settled()
            return Watched(store: store, subscription: subscription)
        }

        private func updates(_ diary: FoodDiary) -> [String: Int] {
            Dictionary(diary.client.snapshot().stores.map { ($0.path, Int($0.valueUpdateCount)) }, uniquingKeysWith: +)
        }

        @Test func `observers on every machine see what one of them logs, edits and deletes`() async throws {
            let machines = try await Self.machines(3)
            let day = Meal.day
            var watched: [Watched<FoodEntry.List>] = []
            for machine in machines { watched.append(await watch(FoodEntry.entries(in: day...day), on: machine)) }
            let entry = try await repositories(machines[2]).entries.add(Meal.draft("cake"))
            for one in watched { for await state in one.store.states where state.value == [entry] { break } }
            #expect(watched[0].store.state.cause == .otherProcess)
            let edited = try await repositories(machines[0]).entries.edit(entry.id, to: Meal.draft("cake", grams: 50))
            for one in watched { for await state in one.store.states where state.value == [edited] { break } }
            _ = try await repositories(machines[1]).entries.delete([entry.id])
            for one in watched { for await state in one.store.states where state.value == [] { break } }
            await close(machines)
        }

        @Test func `a commit on one day refetches only the requests of that day, here and on other machines`() async throws {
            let machines = try await Self.machines(2)
            let (day, other) = (Meal.day, Meal.day.advanced(by: 1))
            var watched: [[Watched<FoodEntry.List>]] = []
            var totals: [Watched<QueryState<DailyTotal?, DailyTotal>>] = []
            for machine in machines {
                watched.append([
                    await watch(FoodEntry.entries(in: day...day), on: machine),
                    await watch(FoodEntry.entries(in: other...other), on: machine),
                ])
                totals.append(await watch(DailyTotal.total(on: other), on: machine))
            }
            let before = machines.map(updates)
            let entry = try await repositories(machines[0]).entries.add(Meal.draft("cake", on: day))
            for stores in watched { for await state in stores[0].store.states where state.value == [entry] { break } }
            for machine in machines { await machine.client.settled() }
            for (machine, before) in zip(machines, before) {
                let after = updates(machine)
                #expect(after.filter { before[$0.key] != $0.value }.keys.sorted() == ["diary/entries/days/\(day)/\(day)"])
            }
            #expect(totals.allSatisfy { $0.store.value == .empty(other) })
            await close(machines)
        }

        @Test func `a write has reached the own client when it returns, and its echo refetches nothing`() async throws {
            let machines = try await Self.machines(2)
            let watched = await watch(FoodEntry.entries(in: Meal.day...Meal.day), on: machines[0])
            let echo = await watch(FoodEntry.entries(in: Meal.day...Meal.day), on: machines[1])
            let entry = try await repositories(machines[0]).entries.add(Meal.draft("cake"))
            await machines[0].client.settled()
            #expect(watched.store.value == [entry])
            let count = updates(machines[0])
            // The other machine is notified by the same message as this one.
            for await state in echo.store.states where state.value == [entry] { break }
            await machines[0].client.settled()
            #expect(updates(machines[0]) == count)
            await close(machines)
        }

        @Test func `a search follows the ingredients of other machines, and the most used ones follow their entries`() async throws {
            let machines = try await Self.machines(2)
            let rice = try await repositories(machines[0]).save(Meal.ingredient("Rice"))
            let found = await watch(Ingredient.search("rise"), on: machines[1])
            #expect(found.store.value == [rice])
            let popular = await watch(Ingredient.popular(), on: machines[1])
            _ = try await repositories(machines[0]).save(Meal.ingredient("Rice pudding"))
            for await state in found.store.states where state.value?.count == 2 { break }
            _ = try await repositories(machines[0]).entries.add(Meal.draft("rice", .ingredient(rice.id)))
            for await state in popular.store.states where state.value?.first?.usageCount == 1 { break }
            await close(machines)
        }
    }
#endif
