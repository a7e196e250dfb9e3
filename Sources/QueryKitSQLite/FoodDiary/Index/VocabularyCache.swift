import FoodDiaryKit
import QueryKit
import QueryKitSQLite

/// The terms of a database, cached in memory. The first use reads all of them, later uses only the new ones.
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

    private let terms = Lock(Terms())

    /// Returns the vocabulary, and the id of the last term that this transaction may use.
    func vocabulary(in db: SQLiteReadTransaction) throws -> (vocabulary: Vocabulary, last: Int64) {
        var state = (version: Int64(0), last: Int64(0))
        try db.forEach("SELECT version, (SELECT max(id) FROM ingredient_terms) FROM ingredient_terms_version") { row in
            state = (try row[0], try row[1] ?? 0)
        }
        var terms = terms.withLock { $0 }
        if terms.version != state.version { terms = Terms(version: state.version) }
        if terms.last < state.last {
            var new: [(id: Int64, word: String)] = []
            // The first read takes all terms, in the order of their index.
            let isNew: SQL? = terms.last == 0 ? nil : "WHERE id > \(terms.last)"
            try db.forEach("SELECT id, term FROM ingredient_terms \(isNew) ORDER BY term") { new.append((try $0[0], try $0[1])) }
            terms.vocabulary.insert(new)
            terms.last = state.last
            // A write may be rolled back, and its terms are not visible to others yet.
            if !(db is SQLiteWriteTransaction) { keep(terms) }
        }
        return (terms.vocabulary, state.last)
    }

    private func keep(_ new: Terms) {
        terms.withLock { terms in
            if terms.version != new.version || terms.last < new.last { terms = new }
        }
    }
}
