import QueryKit
import QueryKitSQLite

/// An order at the wholesaler, for five pieces of an article. Without a network, orders wait in the
/// journal.
struct Reorder: DurableMutationRequest {
    var path: QueryPath { "orders/wholesaler" }
    var scope: String? { "wholesaler" }

    // An order must not reach the wholesaler twice, so without a network it isn't even tried.
    func setup(context: inout QueryContext) { context.networkMode = .online }

    func mutate(with article: Int, in context: QueryContext, with continuation: QueryContinuation<Void>) async throws {
        try await context.shopDatabase.write { db in
            try db.execute("UPDATE stock SET count = count + 5 WHERE id = \(article)")
        }
    }

    // What is ordered counts as stock already.
    func optimistic(with article: Int, in layers: inout QueryLayers) {
        layers.update(InlineQuery<Int>("stock", article)) { $0 += 5 }
    }
}

extension QueryDependencies {
    var shopDatabase: QueryDependency<SQLiteDatabase> { .required() }
}
