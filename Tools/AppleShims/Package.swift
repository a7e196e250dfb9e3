// swift-tools-version: 6.2
// For development alone: builds the very sources of QueryKit (by links) against small stand-ins for SwiftUI and Combine, so that the code for
// Apple's frameworks runs on Linux too. The root package knows nothing of this one: with the stand-ins in it, whether `canImport(SwiftUI)` holds
// would depend on what is built first.
import PackageDescription

// The same as in the root's Package.swift: sources may need them.
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
        .testTarget(
            name: "AdapterTests",
            dependencies: ["QueryKit", "QueryKitTesting", "SwiftUI", "Combine", "TestSupport"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
