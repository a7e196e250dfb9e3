#if Postgres
import FoodDiaryKit
import QueryKit
import QueryKitPostgres

/// The terms of a database, cached in memory. The first use reads all of them, later uses only the new ones, also those of other machines.
///
/// Terms are removed only when the whole index is rebuilt, which changes its version. A read may use an older snapshot of the database than
/// an earlier read: it ignores the terms after its own last one.
struct VocabularyCache: Sendable {
    /// The terms in some state of the database.
    struct Terms: Sendable {
        var version: Int64 = -1
        var last: Int64 = 0
        var vocabulary = Vocabulary()
    }

    /// Lets the server plan each statement of the search for its words: the best plan for a word that most names have is a bad one for a
    /// rare word. A plan takes less than a millisecond.
    private static let planning: SQL = "SELECT 0::bigint, 0::bigint FROM set_config('plan_cache_mode', 'force_custom_plan', true)"

    private static let state: SQL = """
        SELECT version, (SELECT coalesce(max(id), 0) FROM ingredient_terms) FROM ingredient_terms_version
        """

    private let terms = Lock(Terms())

    /// Returns the vocabulary, with the number of the last term that this transaction may use.
    func terms(in db: PostgresReadTransaction) async throws -> Terms {
        let states = try await db.map(each: [Self.planning, Self.state]) { (version: try $0[0] as Int64, last: try $0[1] as Int64) }
        let state = states[1].first ?? (version: 0, last: 0)
        var terms = terms.withLock { $0 }
        if terms.version != state.version { terms = Terms(version: state.version) }
        if terms.last < state.last {
            let new = try await db.map("SELECT id, term FROM ingredient_terms WHERE id > \(terms.last) ORDER BY term") { row in
                (id: try row[0] as Int64, word: try row[1] as String)
            }
            terms.vocabulary.insert(new)
            terms.last = state.last
            keep(terms)
        }
        terms.last = state.last
        return terms
    }

    private func keep(_ new: Terms) {
        terms.withLock { terms in
            if terms.version != new.version || terms.last < new.last { terms = new }
        }
    }
}
#endif
