// swift-tools-version: 6.2
import PackageDescription

// Uses only flags that are available to users of the library, so the results are those of an app's release build.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v14)],
    products: [.executable(name: "querykit-bench", targets: ["QueryKitBench"])],
    traits: [.trait(name: "Postgres", description: "Measures QueryKitPostgres, which needs libpq.")],
    dependencies: [
        .package(name: "QueryKit", path: "..", traits: [.trait(name: "Postgres", condition: .when(traits: ["Postgres"]))])
    ],
    targets: [
        .target(name: "AllocationCount"),
        .executableTarget(
            name: "QueryKitBench",
            dependencies: [
                "AllocationCount", .product(name: "QueryKit", package: "QueryKit"), .product(name: "QueryKitSQLite", package: "QueryKit"),
                .product(name: "QueryKitInspector", package: "QueryKit"), .product(name: "FoodDiaryKit", package: "QueryKit"),
                .product(name: "FoodDiarySQLite", package: "QueryKit"),
                .product(name: "FoodDiarySamples", package: "QueryKit"),
                .product(name: "QueryKitPostgres", package: "QueryKit", condition: .when(traits: ["Postgres"])),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
