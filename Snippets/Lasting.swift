//! Data that persists on disk: results for the next
//! launch, and pending changes.
import Foundation
import QueryKit
import QueryKitSQLite

struct Forecast: QueryRequest {
    let city: String

    var path: QueryPath { ["forecast", city] }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<String>
    ) async throws -> String { "Sun in \(city)" }
}

// snippet.hide
let folder = FileManager.default.temporaryDirectory.appending(
    path: "lasting-\(UUID().uuidString)"
)
try FileManager.default.createDirectory(
    at: folder,
    withIntermediateDirectories: true
)
defer { try? FileManager.default.removeItem(at: folder) }
var context = QueryContext()
// snippet.show
// snippet.cache
// A file that only this app uses. A damaged one is recreated, because
// everything in it can be fetched again.
let cache = try await SQLiteQueryCache.open(
    .file(folder.appending(path: "queries.sqlite"))
)
let oslo = Forecast(city: "Oslo").ttl(.seconds(600)).persisted(
    in: cache
)
// snippet.end

// snippet.journal
// Pending changes can't be fetched again: each one is written to disk
// before its call is made, and a damaged file is recovered.
context.mutationJournal = try await SQLiteMutationJournal.open(
    .file(folder.appending(path: "changes.sqlite"))
)
let client = QueryClient(context: context)
// snippet.end

// snippet.shared
// The widget opens the same file in its own process.
let shared = try await SQLiteMutationJournal.open(
    .file(folder.appending(path: "shared.sqlite"))
)
var widgetContext = QueryContext()
widgetContext.mutationJournal = shared
let widget = QueryClient(context: widgetContext)
// snippet.end

// snippet.hide
precondition(widget.storeCount == 0)
let forecast = try await client.fetch(oslo)
await client.settled()
let count = try await cache.count
precondition(forecast == "Sun in Oslo" && count == 1)
await cache.close()
let again = try await SQLiteQueryCache.open(
    .file(folder.appending(path: "queries.sqlite"))
)
let next = QueryClient()
let shown = try await next.fetch(
    Forecast(city: "Oslo").ttl(.seconds(600)).persisted(in: again)
)
precondition(shown == forecast)
// snippet.show
