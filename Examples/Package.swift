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
    name: "Examples",
    platforms: [.macOS(.v14)],
    products: [.executable(name: "querykit-demo", targets: ["QueryKitDemo"])],
    dependencies: [.package(name: "QueryKit", path: "..")],
    targets: [
        // Words, lines, charts and screens; it knows no diary.
        .target(name: "Terminal", swiftSettings: settings),
        .target(name: "DemoCommand", swiftSettings: settings),
        .executableTarget(
            name: "QueryKitDemo",
            dependencies: ["DemoCommand", .product(name: "QueryKit", package: "QueryKit")],
            swiftSettings: settings
        ),
        .testTarget(name: "TerminalTests", dependencies: ["Terminal"], swiftSettings: settings),
        .testTarget(name: "DemoCommandTests", dependencies: ["DemoCommand"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
