extension ClientInspection {
    package func marks() -> [StoreMark] { [] }
    package func rows(_ ids: [Int]) -> [StoreRow] { [] }
    package func details(_ id: Int, includingValue: Bool, limit: Int = 100_000) -> StoreDetails? { nil }
    package func matches(of pattern: QueryPattern) -> [Affected] { [] }
    package func flaw(of pattern: QueryPattern) -> String? { nil }
    package func readers(ofRegion text: String) -> [Affected] { [] }
    package func regionTexts(limit: Int) -> [String] { [] }
    package func mutations(includingArguments: Bool, limit: Int = 10_000) -> [MutationRow] { [] }
    package func journalRows() async throws -> [JournalRow] { [] }
    package func surroundings() -> Surroundings? { nil }
    package func perform(_ action: InspectionAction) -> Int { 0 }
}
