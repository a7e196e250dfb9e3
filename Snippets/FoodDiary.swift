//! A food diary: entries, totals and searches are updated after each
//! commit, and logged food is shown at once.
import FoodDiaryKit
import FoodDiarySQLite
import Foundation
import QueryKit

// snippet.hide
let folder = FileManager.default.temporaryDirectory.appending(
    path: UUID().uuidString
)
try FileManager.default.createDirectory(
    at: folder,
    withIntermediateDirectories: true
)
let url = folder.appending(path: "diary.sqlite")
// snippet.show

// snippet.open
let diary = try await FoodDiary.open(.file(url))
let oats = try await diary.client.mutate(
    SaveIngredient(),
    with: .init(
        Ingredient.Draft(
            name: "Rolled oats",
            aliases: ["Haferflocken", "Flocons d’avoine"],
            category: .grain,
            nutrients: Nutrients(
                kilocalories: 372,
                protein: 13.5,
                carbohydrates: 58.7,
                fat: 7
            ),
            portions: [Ingredient.Portion("cup", grams: 90)]
        )
    )
)
// snippet.end

// snippet.viewmodel
/// Depends neither on SQLite nor on queries, only on two contracts, for
/// which a test uses fakes.
struct TodayScreen: Sendable {
    let entries: any TodayEntriesQuery
    let total: any CurrentDailyTotalQuery

    func lines() async throws -> [String] {
        let names = try await entries.todayEntries.map(\.name)
        let nutrients = try await total.currentTotal.nutrients
        return names + ["\(Int(nutrients.kilocalories)) kcal"]
    }
}

let screen = TodayScreen(entries: diary, total: diary)
// snippet.end

// snippet.observe
/// Logs a breakfast, and prints the number of today's entries before
/// and after.
func haveBreakfast(_ diary: FoodDiary) async throws -> FoodEntry {
    var updates = diary.observeTodayEntries().makeAsyncIterator()
    print(await updates.next()?.count ?? 0)  // 0

    let breakfast = FoodEntry.Draft(
        oats,
        grams: 60,
        at: FoodMoment(.now, in: .current)
    )
    let entry = try await diary.client.mutate(
        LogFood(),
        with: breakfast
    )
    print(await updates.next()?.count ?? 0)  // 1
    return entry
}

let entry = try await haveBreakfast(diary)
print(try await screen.lines())  // ["Rolled oats", "223 kcal"]
// snippet.end

// snippet.requests
let today = diary.client.store(for: FoodEntry.today)
let month = diary.client.store(
    for: DailyTotal.totals(for: FoodMonth(entry.day))
)
let found = try await diary.client.fetch(
    Ingredient.search("haferfloken")
)  // typing errors are corrected
// snippet.end
// snippet.hide
precondition(
    today.path.description == "diary/entries/today"
        && month.path.description.hasPrefix("diary/totals")
)
precondition(found.map(\.id) == [oats.id])
// snippet.show

// snippet.edit
// Entries keep the nutrients that they were logged with, unless you
// correct an ingredient that was wrong from the start.
var corrected = oats.draft
corrected.nutrients = Nutrients(
    kilocalories: 366,
    protein: 13.2,
    carbohydrates: 57,
    fat: 6.7
)
_ = try await diary.client.mutate(
    SaveIngredient(),
    with: .init(corrected, as: oats.id, correctingHistory: true)
)
// snippet.end

// snippet.memory
// The same behavior without a database, for previews and tests.
var context = QueryContext()
let fake = InMemoryFoodDiary()
context.foodDiary = FoodDiaryRepositories(fake)
let client = QueryClient(
    context: context,
    configuration: FoodDiary.configuration()
)
client.connect(to: fake)
let preview = FoodDiary(client: client)
// snippet.end
// snippet.hide
let nothing = try await preview.todayEntries
let total = try await diary.refreshCurrentTotal()
precondition(nothing.isEmpty && total.nutrients.kilocalories == 219.6)
await diary.database?.close()
try FileManager.default.removeItem(at: folder)
// snippet.show
