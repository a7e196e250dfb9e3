// swift-tools-version: 6.2
import PackageDescription

// On Linux pkg-config reports which package is missing; Apple's SDK contains SQLite.
#if os(Linux)
    let sqlitePkgConfig: String? = "sqlite3"
#else
    let sqlitePkgConfig: String? = nil
#endif

// Without the trait nothing needs libpq: the modules of the PostgreSQL adapter then contain only a declaration that says how to enable it.
let postgres: TargetDependencyCondition? = .when(traits: ["Postgres"])

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

let package = Package(
    name: "QueryKit",
    platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1), .macCatalyst(.v17)],
    products: [
        .library(name: "QueryKit", targets: ["QueryKit"]),
        .library(name: "QueryKitTesting", targets: ["QueryKitTesting"]),
        .library(name: "QueryKitInspector", targets: ["QueryKitInspector"]),
        .library(name: "QueryKitSQLite", targets: ["QueryKitSQLite"]),
        .library(name: "QueryKitPostgres", targets: ["QueryKitPostgres"]),
        .library(name: "FoodDiaryKit", targets: ["FoodDiaryKit"]),
        .library(name: "FoodDiarySQLite", targets: ["FoodDiarySQLite"]),
        .library(name: "FoodDiaryPostgres", targets: ["FoodDiaryPostgres"]),
        .library(name: "FoodDiarySamples", targets: ["FoodDiarySamples"]),
    ],
    traits: [
        .trait(name: "Postgres", description: "Builds QueryKitPostgres and FoodDiaryPostgres, which need libpq.")
    ],
    targets: [
        .target(name: "QueryKit", swiftSettings: settings),
        .target(name: "QueryKitTesting", dependencies: ["QueryKit"], swiftSettings: settings),
        .target(name: "QueryKitInspector", dependencies: ["QueryKit"], resources: [.copy("Page")], swiftSettings: settings),
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: sqlitePkgConfig,
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]
        ),
        .target(name: "QueryKitSQL", swiftSettings: settings),
        .target(
            name: "QueryKitSQLite",
            dependencies: ["QueryKit", "QueryKitSQL", "CSQLite"],
            exclude: ["FoodDiary"],
            swiftSettings: settings
        ),
        .systemLibrary(
            name: "CPostgres",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
        ),
        .target(
            name: "QueryKitPostgres",
            dependencies: ["QueryKit", "QueryKitSQL", .target(name: "CPostgres", condition: postgres)],
            exclude: ["FoodDiary"],
            swiftSettings: settings
        ),
        .target(name: "FoodDiaryKit", dependencies: ["QueryKit"], swiftSettings: settings),
        .target(
            name: "FoodDiarySQLite",
            dependencies: ["FoodDiaryKit", "QueryKitSQLite", "QueryKit"],
            path: "Sources/QueryKitSQLite/FoodDiary",
            swiftSettings: settings
        ),
        .target(
            name: "FoodDiaryPostgres",
            dependencies: ["FoodDiaryKit", "QueryKitPostgres", "QueryKit"],
            path: "Sources/QueryKitPostgres/FoodDiary",
            swiftSettings: settings
        ),
        .target(name: "FoodDiarySamples", dependencies: ["FoodDiaryKit", "QueryKit"], swiftSettings: settings),
        .target(
            name: "TestSupport",
            dependencies: ["QueryKit"],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        .target(
            name: "SQLiteTestSupport",
            dependencies: ["QueryKitSQLite"],
            path: "Tests/SQLiteTestSupport",
            swiftSettings: settings
        ),
        .target(
            name: "PostgresTestSupport",
            dependencies: ["QueryKitPostgres", "QueryKit"],
            path: "Tests/PostgresTestSupport",
            swiftSettings: settings
        ),
        .testTarget(
            name: "QueryKitTests",
            dependencies: ["QueryKit", "QueryKitTesting", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(name: "QueryKitTestingTests", dependencies: ["QueryKit", "QueryKitTesting"], swiftSettings: settings),
        .testTarget(
            name: "QueryKitInspectorTests",
            dependencies: ["QueryKitInspector", "QueryKitSQLite", "QueryKit", "QueryKitTesting", "TestSupport", "SQLiteTestSupport"],
            swiftSettings: settings
        ),
        .testTarget(name: "QueryKitSQLTests", dependencies: ["QueryKitSQL"], swiftSettings: settings),
        .testTarget(
            name: "QueryKitSQLiteTests",
            dependencies: ["QueryKitSQLite", "QueryKit", "QueryKitTesting", "TestSupport", "SQLiteTestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "QueryKitPostgresTests",
            dependencies: ["QueryKitPostgres", "QueryKit", "QueryKitTesting", "PostgresTestSupport", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FoodDiaryTests",
            dependencies: [
                "FoodDiaryKit", "FoodDiarySQLite", "FoodDiaryPostgres", "FoodDiarySamples", "QueryKitSQLite", "QueryKitPostgres",
                "QueryKit", "QueryKitTesting", "TestSupport", "SQLiteTestSupport", "PostgresTestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(name: "LayeringTests", swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

// Files of tests that a build leaves out: Tools/test-tsan.sh needs a tenth of them.
let leftOut = (Context.environment["QUERYKIT_LEFT_OUT"] ?? "").split(separator: " ").map { $0.split(separator: "/", maxSplits: 2) }
for target in package.targets where target.type == .test {
    target.exclude = leftOut.filter { $0[1] == target.name }.map { String($0[2]) }
}
