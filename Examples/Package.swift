// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

let database: [Target.Dependency] = [
    .product(name: "QueryKit", package: "QueryKit"), .product(name: "QueryKitSQLite", package: "QueryKit"),
]

let inspector: [Target.Dependency] = [.product(name: "QueryKitInspector", package: "QueryKit")]

// Without the trait, food-diary names the command that builds it in.
let server: [Target.Dependency] = ["QueryKitPostgres", "FoodDiaryPostgres"].map {
    .product(name: $0, package: "QueryKit", condition: .when(traits: ["Postgres"]))
}

let library: [Target.Dependency] =
    database + [
        .product(name: "FoodDiaryKit", package: "QueryKit"), .product(name: "FoodDiarySQLite", package: "QueryKit"),
        .product(name: "FoodDiarySamples", package: "QueryKit"),
    ]

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v14), .iOS(.v17)],
    products: [
        .executable(name: "querykit-demo", targets: ["DemoCommand"]),
        .executable(name: "food-diary", targets: ["FoodDiaryCommand"]),
        .executable(name: "trips", targets: ["TripsCommand"]),
        .executable(name: "preferences", targets: ["PreferencesCommand"]),
        .executable(name: "feed", targets: ["FeedCommand"]),
        .executable(name: "habits", targets: ["HabitsCommand"]),
        .executable(name: "diary-app", targets: ["DiaryAppMain"]),
        .executable(name: "inspected-shop", targets: ["InspectedShop"]),
        .library(name: "DiaryApp", targets: ["DiaryApp"]),
    ],
    traits: [
        .trait(name: "Postgres", description: "Builds food-diary with PostgreSQL, which needs libpq.")
    ],
    dependencies: [
        .package(name: "QueryKit", path: "..", traits: [.trait(name: "Postgres", condition: .when(traits: ["Postgres"]))])
    ],
    targets: [
        // Text, lines, charts and screens; independent of the diary.
        .target(name: "Terminal", swiftSettings: settings),
        // The acts of the demo, with a fake web API; states are recorded as in tests, so that none is missed.
        .target(
            name: "DemoActs",
            dependencies: ["Terminal", .product(name: "QueryKitTesting", package: "QueryKit")] + database + inspector,
            swiftSettings: settings
        ),
        // Its command line.
        .executableTarget(name: "DemoCommand", dependencies: ["DemoActs", "Terminal"], swiftSettings: settings),
        // The screens and the page of the diary; independent of the concrete repositories.
        .target(name: "DiaryScreens", dependencies: ["Terminal"] + library + inspector + server, swiftSettings: settings),
        // The executable, which connects all parts.
        .executableTarget(name: "FoodDiaryCommand", dependencies: ["DiaryScreens", "Terminal"] + library, swiftSettings: settings),
        // An app over its own schema: domain, repository, requests, view model.
        .target(name: "TripsApp", dependencies: database, swiftSettings: settings),
        // Its screens and its command line.
        .executableTarget(name: "TripsCommand", dependencies: ["TripsApp"] + database, swiftSettings: settings),
        // A reducer with preferences, and its command line.
        .target(name: "PreferencesApp", dependencies: database, swiftSettings: settings),
        .executableTarget(name: "PreferencesCommand", dependencies: ["PreferencesApp"], swiftSettings: settings),
        // A feed over HTTP with an offline queue, a server for it, and a demo of both.
        .target(name: "FeedApp", dependencies: [.product(name: "QueryKit", package: "QueryKit")], swiftSettings: settings),
        .target(name: "FeedServer", dependencies: ["FeedApp"], swiftSettings: settings),
        .executableTarget(
            name: "FeedCommand",
            dependencies: ["FeedApp", "FeedServer", .product(name: "QueryKit", package: "QueryKit")],
            swiftSettings: settings
        ),
        // One overview kept up to date in five ways, and a session that counts what each of them reads.
        .target(name: "HabitsApp", dependencies: database, swiftSettings: settings),
        .executableTarget(name: "HabitsCommand", dependencies: ["HabitsApp", "Terminal"] + database, swiftSettings: settings),
        // An app to look at in the inspector, which Tools/check-inspector.py tests in a browser.
        .executableTarget(name: "InspectedShop", dependencies: database + inspector, swiftSettings: settings),
        // A SwiftUI app over the food diary: view models, views and storage. Tools/AppleShims checks its views.
        .target(
            name: "DiaryApp",
            dependencies: database + [
                .product(name: "FoodDiaryKit", package: "QueryKit"), .product(name: "FoodDiarySQLite", package: "QueryKit"),
            ],
            exclude: ["README.md"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "DiaryAppMain",
            dependencies: [
                "DiaryApp", .product(name: "FoodDiaryKit", package: "QueryKit"), .product(name: "QueryKit", package: "QueryKit"),
            ],
            swiftSettings: settings
        ),
        .testTarget(name: "TerminalTests", dependencies: ["Terminal"], swiftSettings: settings),
        .testTarget(
            name: "DemoActsTests",
            dependencies: ["DemoActs", "DemoCommand", "Terminal", .product(name: "QueryKit", package: "QueryKit")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DiaryScreensTests",
            dependencies: ["DiaryScreens", "Terminal", "FoodDiaryCommand"] + library,
            swiftSettings: settings
        ),
        .testTarget(
            name: "TripsAppTests",
            dependencies: ["TripsApp", "TripsCommand", .product(name: "QueryKitTesting", package: "QueryKit")] + database,
            swiftSettings: settings
        ),
        .testTarget(
            name: "PreferencesAppTests",
            dependencies: [
                "PreferencesApp", "PreferencesCommand", .product(name: "QueryKitTesting", package: "QueryKit"),
            ] + database,
            swiftSettings: settings
        ),
        .testTarget(
            name: "FeedAppTests",
            dependencies: [
                "FeedApp", "FeedServer", "FeedCommand", .product(name: "QueryKit", package: "QueryKit"),
                .product(name: "QueryKitTesting", package: "QueryKit"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HabitsAppTests",
            dependencies: [
                "HabitsApp", "HabitsCommand", .product(name: "QueryKitTesting", package: "QueryKit"),
            ] + database,
            swiftSettings: settings
        ),
        .testTarget(
            name: "DiaryAppTests",
            dependencies: [
                "DiaryApp", .product(name: "FoodDiaryKit", package: "QueryKit"), .product(name: "QueryKit", package: "QueryKit"),
                .product(name: "QueryKitTesting", package: "QueryKit"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
