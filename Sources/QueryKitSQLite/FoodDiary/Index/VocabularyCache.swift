import FoodDiaryKit
import QueryKit
import QueryKitSQLite

/// The terms of a database in memory, read when they are needed first, and after that only those that are new.
///
/// Terms are never taken out, except when the whole index is made anew, which changes its version. A read may look at an earlier state of the
/// database than another that has come before it: terms later than its own it leaves aside.
struct VocabularyCache: Sendable {
    /// Terms as of some state of the database.
    struct Terms: Sendable {
        var version: Int64 = -1
        var last: Int64 = 0
        var vocabulary = Vocabulary()
    }

    private let terms = Lock(Terms())

    /// The words, and the last one that counts for this transaction.
    func vocabulary(in db: SQLiteReadTransaction) throws -> (vocabulary: Vocabulary, last: Int64) {
        var state = (version: Int64(0), last: Int64(0))
        try db.forEach("SELECT version, (SELECT max(id) FROM ingredient_terms) FROM ingredient_terms_version") { row in
            state = (try row[0], try row[1] ?? 0)
        }
        var terms = terms.withLock { $0 }
        if terms.version != state.version { terms = Terms(version: state.version) }
        if terms.last < state.last {
            var new: [(id: Int64, word: String)] = []
            // The first time all of them, in the order of their index.
            let isNew: SQL? = terms.last == 0 ? nil : "WHERE id > \(terms.last)"
            try db.forEach("SELECT id, term FROM ingredient_terms \(isNew) ORDER BY term") { new.append((try $0[0], try $0[1])) }
            terms.vocabulary.insert(new)
            terms.last = state.last
            // What a write has added may be undone, and is nobody else's yet.
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
