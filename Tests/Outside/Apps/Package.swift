// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Two apps that want one product each, and one beside modules that use common names. Tools/test-outside.sh says where the package is.
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
