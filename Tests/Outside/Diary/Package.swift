// swift-tools-version: 6.2
import Foundation
import PackageDescription

// An app with a food diary. Tools/test-outside.sh says where the package is.
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
