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
