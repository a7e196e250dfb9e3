// swift-tools-version: 6.2
// Only for development: builds the sources of QueryKit (through links) with small replacements for SwiftUI and Combine, so that the code
// for Apple's frameworks runs on Linux, too. The root package doesn't contain this one: with the replacements in it, the result of
// `canImport(SwiftUI)` would depend on the order of the build.
import PackageDescription

// The same as in the root's Package.swift, because the sources may need them.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

let package = Package(
    name: "AppleShims",
    platforms: [.macOS(.v14)],
    targets: [
        .target(name: "SwiftUI", swiftSettings: settings),
        .target(name: "Combine", swiftSettings: settings),
        .target(name: "QueryKit", dependencies: ["SwiftUI", "Combine"], swiftSettings: settings),
        .target(name: "QueryKitTesting", dependencies: ["QueryKit"], swiftSettings: settings),
        .target(name: "TestSupport", dependencies: ["QueryKit"], swiftSettings: settings),
        // The food diary and the example app over it: on Linux its views compile only here.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
        .target(name: "QueryKitSQL", swiftSettings: settings),
        .target(
            name: "QueryKitSQLite",
            dependencies: ["QueryKit", "QueryKitSQL", "CSQLite"],
            exclude: ["FoodDiary"],
            swiftSettings: settings
        ),
        .target(name: "FoodDiaryKit", dependencies: ["QueryKit"], swiftSettings: settings),
        .target(name: "FoodDiarySQLite", dependencies: ["FoodDiaryKit", "QueryKitSQLite", "QueryKit"], swiftSettings: settings),
        .target(
            name: "DiaryApp",
            dependencies: ["FoodDiaryKit", "FoodDiarySQLite", "QueryKitSQLite", "QueryKit", "SwiftUI"],
            exclude: ["README.md"],
            swiftSettings: settings
        ),
        .executableTarget(name: "DiaryAppMain", dependencies: ["DiaryApp", "SwiftUI"], swiftSettings: settings),
        .testTarget(
            name: "DiaryViewTests",
            dependencies: ["DiaryApp", "FoodDiaryKit", "QueryKit", "QueryKitTesting", "SwiftUI"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AdapterTests",
            dependencies: ["QueryKit", "QueryKitTesting", "SwiftUI", "Combine", "TestSupport"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
