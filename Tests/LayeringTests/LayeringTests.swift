import Foundation
import Testing

/// Holds the house to the order that ARCHITECTURE.md names.
@Suite(.timeLimit(.minutes(5)))
struct LayeringTests {
    @Test(arguments: Layers.all)
    func `a folder names only itself and the folders before it`(_ layers: Layers) throws {
        let arrows = try layers.module.forbiddenArrows(by: layers.order)
        #expect(arrows == [])
    }

    @Test(arguments: Layers.all)
    func `every folder is listed in ARCHITECTURE`(_ layers: Layers) throws {
        let unlisted = try layers.module.folders.subtracting(layers.order.folders)
        #expect(unlisted == [])
    }

    @Test(arguments: Layers.all)
    func `no file lies in the module's root`(_ layers: Layers) throws {
        let stray = try layers.module.files.filter { $0.folder == nil }.map(\.path)
        #expect(stray == [])
    }

    @Test(arguments: Layers.all)
    func `no file is a drawer for whatever has no name`(_ layers: Layers) throws {
        let drawers = ["Utils", "Utilities", "Helpers", "Extensions", "Common"]
        let found = try layers.module.files.map(\.path).filter { path in drawers.contains { path.contains($0) } }
        #expect(found == [])
    }

    @Test func `the core knows no SQLite`() throws {
        let importers = try Layers.core.importers(of: ["CSQLite", "SQLite3", "QueryKitSQLite"])
        #expect(importers == [])
    }

    @Test func `only Queries knows what the core offers to users`() throws {
        // The lock and its like are tools that say nothing of queries.
        let tools: Set = ["Lock", "QuerySubscription"]
        let offered = try Layers.core.module.files.reduce(into: Set<String>()) { $0.formUnion($1.facts.topLevel) }.subtracting(tools)
        let files = try Layers.database.module.files.filter { $0.folder != "Queries" && $0.facts.imports.contains("QueryKit") }
        let own = try Layers.database.module.files.reduce(into: Set<String>()) { $0.formUnion($1.facts.declared) }
        let arrows = files.flatMap { file in
            file.facts.mentions.intersection(offered).subtracting(own).sorted().map { "\(file.path) names \($0)" }
        }
        #expect(arrows == [])
        #expect(offered.contains("QueryClient"))
    }

    @Test func `QueryKitTesting needs of the core what an app's tests can use, and the lock`() throws {
        let files = try SourceModule(name: "QueryKitTesting", at: Layers.folder(of: "QueryKitTesting")).files
        let hidden = try Layers.core.packageTypes.subtracting(["Lock"])
        let own = files.reduce(into: Set<String>()) { $0.formUnion($1.facts.declared) }
        let arrows = files.flatMap { file in
            file.facts.mentions.intersection(hidden).subtracting(own).sorted().map { "\(file.path) names \($0)" }
        }
        #expect(arrows == [])
        #expect(files.reduce(into: Set<String>()) { $0.formUnion($1.facts.imports) } == ["Foundation", "QueryKit"])
        #expect(hidden.contains("RecurringRegions"))
    }

    @Test(arguments: Layers.all)
    func `the sources were found`(_ layers: Layers) throws {
        // A wrong path would let every other test here pass.
        #expect(try !layers.module.files.isEmpty)
    }
}

/// A module and the place of its order in ARCHITECTURE.md, which is found by its lowest folder.
struct Layers: CustomTestStringConvertible {
    static let core = Layers(name: "QueryKit", lowest: "Foundations")
    static let database = Layers(name: "QueryKitSQLite", lowest: "Engine")
    static let all = [core, database]

    let name: String
    let lowest: String

    var testDescription: String { name }

    var module: SourceModule {
        get throws {
            try SourceModule(name: name, at: Self.folder(of: name))
        }
    }

    static func folder(of module: String) -> URL { root.appending(path: "Sources/\(module)") }

    /// The types that other modules of the package see, and apps don't.
    var packageTypes: Set<String> {
        get throws {
            let folder = Self.folder(of: name)
            let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path(percentEncoded: false))
            let texts = try paths.filter { $0.hasSuffix(".swift") }.map {
                try String(contentsOf: folder.appending(path: $0), encoding: .utf8)
            }
            let declaration = /(?m)^\s*package (?:final )?(?:actor|class|struct|enum|protocol|typealias) (\w+)/
            return Set(texts.flatMap { $0.matches(of: declaration).map { String($0.output.1) } })
        }
    }

    var order: LayerOrder {
        get throws {
            let text = try String(contentsOf: Self.root.appending(path: "ARCHITECTURE.md"), encoding: .utf8)
            return try #require(LayerOrder(startingWith: lowest, in: text), "ARCHITECTURE.md has no line \"\(lowest) → …\"")
        }
    }

    func importers(of modules: Set<String>) throws -> [String] {
        try module.files.filter { !$0.facts.imports.isDisjoint(with: modules) }.map(\.path)
    }

    /// Tests/LayeringTests/LayeringTests.swift is three steps below the package.
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
