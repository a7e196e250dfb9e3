import QueryKitSQLite
import Testing

struct SQLiteLibraryTests {
    @Test func `the linked library is new enough and has the required features`() throws {
        #expect(SQLiteLibrary.linked.version >= SQLiteLibrary.minimum)
        try SQLiteLibrary.linked.check()
    }

    @Test(arguments: SQLiteLibrary.required.sorted { $0.description < $1.description })
    func `the linked library has the feature`(_ feature: SQLiteLibrary.Feature) {
        #expect(SQLiteLibrary.linked.features.contains(feature))
    }

    @Test func `a feature the library was built without is not found`() {
        // JSONB was added in 3.45, so version and probe must agree, whichever library runs the tests.
        let linked = SQLiteLibrary.linked
        let expected = linked.version >= SQLiteLibrary.Version(major: 3, minor: 45, patch: 0)
        #expect(linked.features.contains(.binaryJSON) == expected)
    }

    @Test func `an error names a missing feature and the library's version`() {
        let library = SQLiteLibrary(version: .init(major: 3, minor: 40, patch: 1), features: SQLiteLibrary.required)
        let error = #expect(throws: SQLiteLibrary.Unsuitable.self) {
            try library.check(required: SQLiteLibrary.required.union([SQLiteLibrary.Feature("time travel")]))
        }
        #expect(
            error?.description
                == "SQLite 3.40.1 can't be used: it lacks time travel. Install or link a SQLite library that meets these requirements."
        )
    }

    @Test func `an error lists everything that is missing, in a stable order`() {
        let library = SQLiteLibrary(version: .init(major: 3, minor: 9, patch: 2), features: [.json])
        let error = #expect(throws: SQLiteLibrary.Unsuitable.self) {
            try library.check(required: [.json, .returning, .backup])
        }
        #expect(
            error?.description
                == "SQLite 3.9.2 can't be used: 3.39.0 or newer is needed, and it lacks RETURNING, backup. "
                + "Install or link a SQLite library that meets these requirements."
        )
    }

    @Test func `the oldest version accepted is accepted`() throws {
        try SQLiteLibrary(version: SQLiteLibrary.minimum, features: SQLiteLibrary.required).check()
    }
}

struct SQLiteLibraryVersionTests {
    typealias Version = SQLiteLibrary.Version

    @Test(arguments: [
        ("3.40.1", 3_040_001), ("3.39.0", 3_039_000), ("3.39", 3_039_000), ("3.9.12", 3_009_012), ("4.0.0", 4_000_000),
    ])
    func `a version as text and as number are the same`(_ text: String, _ number: Int) throws {
        let version = try #require(Version(text))
        #expect(version == Version(number: number))
        #expect(version.number == number)
        #expect(Version(version.description) == version)
    }

    @Test(arguments: ["", "3", "3.", ".40", "3.40.", "3.40.1.2", "3.4O.1", "3.-1.0", "+3.40.1", "3.40.1 ", "3.٤.1"])
    func `text that is not a version is refused`(_ text: String) {
        #expect(Version(text) == nil)
    }

    @Test func `versions are compared as numbers, not as text`() {
        let ordered = [(3, 9, 0), (3, 38, 5), (3, 39, 0), (3, 39, 4), (3, 100, 0), (4, 0, 0)]
            .map { Version(major: $0.0, minor: $0.1, patch: $0.2) }
        #expect(ordered.shuffled().sorted() == ordered)
    }
}
