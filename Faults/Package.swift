// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

let package = Package(
    name: "Faults",
    platforms: [.macOS(.v14)],
    products: [.executable(name: "querykit-faults", targets: ["QueryKitFaults"])],
    traits: [.trait(name: "Postgres", description: "Adds the faults of PostgreSQL, which need libpq.")],
    dependencies: [
        .package(name: "QueryKit", path: "..", traits: [.trait(name: "Postgres", condition: .when(traits: ["Postgres"]))])
    ],
    targets: [
        .executableTarget(
            name: "QueryKitFaults",
            dependencies: [
                .product(name: "QueryKit", package: "QueryKit"), .product(name: "QueryKitSQLite", package: "QueryKit"),
                .product(name: "FoodDiaryKit", package: "QueryKit"), .product(name: "FoodDiarySQLite", package: "QueryKit"),
                .product(name: "QueryKitPostgres", package: "QueryKit", condition: .when(traits: ["Postgres"])),
            ],
            swiftSettings: settings
        )
    ],
    swiftLanguageModes: [.v6]
)
