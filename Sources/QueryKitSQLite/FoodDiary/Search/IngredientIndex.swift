/// The index by which ingredients are found, kept from Swift in the transaction that changes them.
enum IngredientIndex {
    static let migration = SQLiteMigration(
        "food diary: search",
        """
        CREATE VIRTUAL TABLE ingredient_search USING fts5(
            name, aliases,
            content='', detail=column, columnsize=0, prefix='2 3 4', tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc'"
        );
        """
    )
}

extension IngredientIndex {
    static func insert(_ ingredient: Ingredient, in db: SQLiteWriteTransaction) throws {}
    static func remove(_ ingredient: Ingredient, in db: SQLiteWriteTransaction) throws {}
    static func move(_ ingredient: Ingredient, toUsage: Int, in db: SQLiteWriteTransaction) throws {}
    static func rebuild(in db: SQLiteWriteTransaction) throws {}
}
final class IngredientSearch: Sendable {
    func search(_ typed: String, category: IngredientCategory?, limit: Int, in db: SQLiteReadTransaction) throws -> [Ingredient] { [] }
    func relevantIngredients(for text: String, limit: Int, in db: SQLiteReadTransaction) throws -> [Ingredient] { [] }
}
enum IngredientMatcher {
    static func search(_ typed: String, category: IngredientCategory?, limit: Int, among: [Ingredient]) -> [Ingredient] { [] }
    static func relevantIngredients(for text: String, limit: Int, among: [Ingredient]) -> [Ingredient] { [] }
}
