// swift-tools-version: 6.2
import Foundation
import PackageDescription

// An app that wants the database adapter and nothing else. Tools/test-outside.sh says where the package is.
let package = Package(
    name: "Trips",
    platforms: [.macOS(.v14)],
    dependencies: [.package(name: "QueryKit", path: ProcessInfo.processInfo.environment["QUERYKIT"] ?? "../../..")],
    targets: [.executableTarget(name: "Trips", dependencies: [.product(name: "QueryKitSQLite", package: "QueryKit")])]
)
