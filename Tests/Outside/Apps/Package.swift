// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Two apps that use one product each, and one beside modules with common names. Tools/test-outside.sh sets the package's location.
let package = Package(
    name: "Apps",
    platforms: [.macOS(.v14)],
    dependencies: [.package(name: "QueryKit", path: ProcessInfo.processInfo.environment["QUERYKIT"] ?? "../../..")],
    targets: [
        .executableTarget(name: "Trips", dependencies: [.product(name: "QueryKitSQLite", package: "QueryKit")]),
        .executableTarget(name: "Pantry", dependencies: [.product(name: "FoodDiaryKit", package: "QueryKit")]),
        .target(name: "LikeSwiftData"),
        .target(name: "LikeDependencies"),
        .executableTarget(
            name: "Beside",
            dependencies: ["LikeSwiftData", "LikeDependencies", .product(name: "QueryKit", package: "QueryKit")]
        ),
    ]
)
