package import FoodDiaryKit
import FoodDiarySQLite
package import Foundation
import QueryKit
import QueryKitInspector
import QueryKitSQLite
package import Terminal

/// Runs commands: reads the diary through its contracts, and writes the answer as a screen or as JSON.
package struct DiaryProgram: Sendable {
    let diary: FoodDiary
    let console: Console

    /// The file of the diary.
    let location: URL?

    /// The server of the diary, if it isn't in a file.
    let server: DiaryServer?

    package init(_ diary: FoodDiary, console: Console, location: URL? = nil, server: DiaryServer? = nil) {
        self.diary = diary
        self.console = console
        self.location = location
        self.server = server
    }

    /// The file or server of the diary, for messages.
    var place: String? { location?.path ?? server?.name }

    /// Runs a command and returns the exit code of the process. Recovery notices are printed before it, or as soon as the command has
    /// caused a recovery.
    package func run(_ command: DiaryCommand) async throws -> Int32 {
        let database = diary.database
        let known = RecoveryNotice.all(of: database)
        console.tell(known)
        let notice: @Sendable () -> [RecoveryNotice] = { RecoveryNotice.all(of: database) }
        let result = await DiaryJSON.$notice.withValue(notice) {
            await outcome { try await carryOut(command) }
        }
        console.tell(RecoveryNotice.all(of: database).filter { !known.contains($0) })
        return try result.get()
    }

    private func outcome(_ work: () async throws -> Int32) async -> Result<Int32, any Error> {
        do { return .success(try await work()) } catch { return .failure(error) }
    }

    /// Closes the diary: writes its log back into the file, so that a copy of the file alone is a copy of the diary.
    package func close() async {
        await diary.database?.close()
        await diary.closeServer()
    }

    private func carryOut(_ command: DiaryCommand) async throws -> Int32 {
        switch command {
        case .today(let word): try await today(word)
        case .log(let words, let circumstances): try await log(words, circumstances)
        case .edit(let id, let amount, let name, let circumstances, let isConfirmed):
            try await edit(id, amount, name: name, circumstances, isConfirmed: isConfirmed)
        case .delete(let ids, let isConfirmed): try await delete(ids, isConfirmed: isConfirmed)
        case .search(let typed, let category, let limit): try await search(typed, category, limit: limit)
        case .context(let text, let tokens): try await context(text, tokens: tokens)
        case .month(let month, let start): try await self.month(month, start)
        case .trends(let period): try await trends(period)
        case .stats(let period): try await stats(period)
        case .importing(let file, let kind, let format, let isDryRun): return try await importing(file, kind, format, isDryRun: isDryRun)
        case .exporting(let file, let kind, let format, let wish): try await exporting(file, kind, format, wish)
        case .seed(let seeding, let isConfirmed): try await seed(seeding, isConfirmed: isConfirmed)
        case .doctor(let repair, let acknowledges): return try await doctor(repairs: repair != nil, acknowledges: acknowledges)
        case .snapshot: try await snapshot()
        case .report(let page, let period, let replaces): try await report(page, period, replaces: replaces)
        case .evaluation(let evaluation): try await evaluate(evaluation)
        case .watch(let isInspected): return try await watch(isInspected: isInspected)
        // These commands need no diary, or a temporary one.
        case .demo, .completion: throw UsageError("This command opens no diary; such as: food-diary demo")
        }
        return 0
    }

    private func watch(isInspected: Bool) async throws -> Int32 {
        guard isInspected else { return try await Watch(diary, palette: console.palette, file: location).run() }
        let inspector = try await QueryInspector.start(diary.client, name: "food-diary") { console.remark(Line($0)) }
        let result = await outcome {
            try await Watch(diary, palette: console.palette, file: location, inspector: inspector.url).run()
        }
        await inspector.stop()
        return try result.get()
    }

    var isJSON: Bool { console.isJSON }

    var today: FoodDay { FoodDay(diary.client.context.clock.date, in: diary.client.context.timeZone) }

    var repositories: FoodDiaryRepositories {
        get throws {
            guard let repositories = diary.client.context.foodDiary else { throw FoodDiaryError(.notFound, "There is no diary.") }
            return repositories
        }
    }

    func show(_ screen: some TextScreen & JSONScreen) throws {
        if isJSON { try console.write(text: screen.json()) } else { try console.write(screen.lines(width: console.width)) }
    }

    /// Asks before something is changed, unless the user has confirmed it already; throws if the change is refused.
    ///
    /// - Parameter answer: The command that confirms in advance, for the message without a terminal.
    func confirm(_ question: Line, unless isConfirmed: Bool, orSay answer: String) async throws {
        if isConfirmed { return }
        switch try await console.confirm(question) {
        case true: return
        case false: throw CommandError("Nothing was changed.")
        case nil: throw UsageError("\(question.text) There is no terminal to ask; \(answer)")
        }
    }
}
