// message: 'appendInterpolation' is unavailable: FullTextQuery is nil for a text without words. Unwrap it first
import QueryKitSQLite

func search(_ text: String, in database: SQLiteDatabase) async throws -> [String] {
    try await database.read { db in
        try db.values(String.self, "SELECT name FROM food_text WHERE food_text MATCH \(FullTextQuery(text))")
    }
}
