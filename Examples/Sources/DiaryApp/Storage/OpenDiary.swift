import FoodDiaryKit
import FoodDiarySQLite
package import Foundation
package import QueryKit
import QueryKitSQLite

/// An open diary: the client of all screens, and the files that it reads.
package struct OpenDiary: Sendable {
    package let client: QueryClient
    private let database: SQLiteDatabase?
    // Ended when the diary is released.
    private let subscriptions: [QuerySubscription]

    /// Connects a client to the calendar.
    ///
    /// - Parameters:
    ///   - context: A context with a `foodDiary`, a `diaryDoctor` and `diarySettings`.
    ///   - base: The settings of the client.
    package init(
        _ context: QueryContext,
        configuration base: QueryClient.Configuration = QueryClient.Configuration()
    ) {
        self.init(context, base, nil)
    }

    private init(
        _ context: QueryContext,
        _ base: QueryClient.Configuration,
        _ database: SQLiteDatabase?
    ) {
        var configuration = FoodDiary.configuration(base)
        // What the app reads itself changes only by its own calls, or is invalidated below.
        configuration.setDefaults(matching: "diary-app/**") { $0.ttl = .infinity }
        let client = QueryClient(context: context, configuration: configuration)
        self.client = FoodDiary(client: client).client
        self.database = database
        var subscriptions = [client.invalidate(TrendOfDays.pattern, on: .dayChange)]
        if let database {
            client.connect(to: database)
            let recoveries = QueryTrigger("recoveries") { database.reports }
            subscriptions.append(client.invalidate(.path(DiaryHealth.path), on: recoveries))
        }
        self.subscriptions = subscriptions
    }

    /// Opens the diary in a folder, and makes the changes that the last launch could not finish.
    ///
    /// - Parameters:
    ///   - folder: The folder of the files; it is created if it doesn't exist.
    ///   - context: The environment of the client. Its diary, doctor and journal are replaced.
    ///   - configuration: The settings of the client.
    package static func open(
        in folder: URL,
        context: QueryContext = QueryContext(),
        configuration: QueryClient.Configuration = QueryClient.Configuration()
    ) async throws -> OpenDiary {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let database = try await SQLiteDatabase.openFoodDiary(
            .file(folder.appending(path: "diary.sqlite"))
        )
        var context = context
        context.foodDiary = FoodDiaryRepositories(database)
        context.diaryDoctor = SQLiteDoctor(database)
        context.mutationJournal = try await SQLiteMutationJournal.open(
            .file(folder.appending(path: "calls.sqlite"))
        )
        let diary = OpenDiary(context, configuration, database)
        try await diary.client.resumeMutations(of: [LogFood.self, EditEntry.self, DeleteEntry.self])
        return diary
    }

    /// Releases the locks of the file. Call it when the app enters the background: the system ends
    /// a suspended app that holds a lock.
    package func suspend() async {
        await client.settled()
        await database?.suspend()
    }

    /// Continues after ``suspend()``. Call it when the app becomes active.
    package func resume() { database?.resume() }

    /// Closes the file permanently.
    package func close() async { await database?.close() }
}
