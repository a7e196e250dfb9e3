// swift-tools-version: 6.2
import Foundation
import PackageDescription

// An app with a food diary. Tools/test-outside.sh sets the package's location.
let package = Package(
    name: "Diary",
    platforms: [.macOS(.v14)],
    dependencies: [.package(name: "QueryKit", path: ProcessInfo.processInfo.environment["QUERYKIT"] ?? "../../..")],
    targets: [
        .testTarget(
            name: "DiaryTests",
            dependencies: ["QueryKit", "QueryKitTesting", "QueryKitSQLite", "FoodDiaryKit", "FoodDiarySQLite"].map {
                .product(name: $0, package: "QueryKit")
            }
        )
    ]
)
