// swift-tools-version: 6.2
import PackageDescription

// Apps and tests that see only products and public names of QueryKit: see Tools/test-outside.sh.
let package = Package(
    name: "Outside",
    platforms: [.macOS(.v14)],
    traits: [.trait(name: "Postgres", description: "Builds QueryKit with the trait of this name, as the other packages of one `make ci`.")],
    dependencies: [
        .package(name: "QueryKit", path: "../..", traits: [.trait(name: "Postgres", condition: .when(traits: ["Postgres"]))])
    ],
    targets: [
        .executableTarget(name: "Trips", dependencies: [.product(name: "QueryKitSQLite", package: "QueryKit")]),
        .executableTarget(name: "Pantry", dependencies: [.product(name: "FoodDiaryKit", package: "QueryKit")]),
        .target(name: "LikeSwiftData"),
        .target(name: "LikeDependencies"),
        .executableTarget(
            name: "Beside",
            dependencies: ["LikeSwiftData", "LikeDependencies", .product(name: "QueryKit", package: "QueryKit")]
        ),
        .testTarget(
            name: "DiaryTests",
            dependencies: ["QueryKit", "QueryKitTesting", "QueryKitSQLite", "FoodDiaryKit", "FoodDiarySQLite"].map {
                .product(name: $0, package: "QueryKit")
            }
        ),
    ]
)
