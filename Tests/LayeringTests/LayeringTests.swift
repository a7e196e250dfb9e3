import Foundation
import Testing

/// Checks the order of folders stated in ARCHITECTURE.md.
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
    func `no file is directly in the module's root`(_ layers: Layers) throws {
        let stray = try layers.module.files.filter { $0.folder == nil }.map(\.path)
        #expect(stray == [])
    }

    @Test(arguments: Layers.all)
    func `no file has a catch-all name`(_ layers: Layers) throws {
        let drawers = ["Utils", "Utilities", "Helpers", "Extensions", "Common"]
        let found = try layers.module.files.map(\.path).filter { path in drawers.contains { path.contains($0) } }
        #expect(found == [])
    }

    @Test(arguments: Layers.modules)
    func `a module imports only modules before it`(_ module: Layers) throws {
        let known = try #require(Layers.imports[module.name])
        let own = Set(Layers.imports.keys).union(["CSQLite", "SQLite3"])
        let imported = try module.module.files.reduce(into: Set<String>()) { $0.formUnion($1.facts.imports) }
        #expect(imported.intersection(own).subtracting(known) == [])
    }

    @Test(arguments: Layers.modules)
    func `each folder with subfolders has an order, except those that are one machine`(_ module: Layers) throws {
        let parents = try module.module.files.compactMap { file -> String? in
            let parts = file.path.split(separator: "/").map(String.init)
            return parts.count > 2 ? parts[parts.count - 3] : nil
        }
        let machines: Set<String> = module.name == "QueryKit" ? ["Store", "Client", "Requests", "Ledger"] : []
        #expect(Set(parents).subtracting(Layers.all.map(\.name)) == machines)
    }

    @Test(arguments: Layers.modules)
    func `a folder has few files`(_ module: Layers) throws {
        let folders = Dictionary(grouping: try module.module.files.map(\.path)) {
            $0.split(separator: "/").dropLast().joined(separator: "/")
        }
        #expect(folders.filter { $0.value.count > 16 }.keys.sorted() == [])
    }

    @Test func `only Queries uses the core's public names`() throws {
        // The lock and similar tools have nothing to do with queries.
        let tools: Set = ["Lock", "QuerySubscription"]
        let offered = try Layers.core.module.files.reduce(into: Set<String>()) { $0.formUnion($1.facts.topLevel) }
            .subtracting(tools).subtracting(Layers.core.packageTypes)
        let files = try Layers.database.module.files.filter { $0.folder != "Queries" && $0.facts.imports.contains("QueryKit") }
        let own = try Layers.database.module.files.reduce(into: Set<String>()) { $0.formUnion($1.facts.declared) }
        let arrows = files.flatMap { file in
            file.facts.mentions.intersection(offered).subtracting(own).sorted().map { "\(file.path) names \($0)" }
        }
        #expect(arrows == [])
        #expect(offered.contains("QueryClient"))
    }

    @Test func `QueryKitTesting uses only the core's public names and the lock`() throws {
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
        // With a wrong path all other tests here would pass.
        #expect(try !layers.module.files.isEmpty)
    }
}

/// A module, or a folder with subfolders. ARCHITECTURE.md has its order on a line that begins with its name.
struct Layers: CustomTestStringConvertible {
    static let core = Layers(name: "QueryKit")
    static let database = Layers(name: "QueryKitSQLite", without: ["FoodDiary"])

    static let modules = [
        core, Layers(name: "QueryKitSQL"), database, Layers(name: "FoodDiaryKit"),
        Layers(name: "FoodDiarySQLite", at: "QueryKitSQLite/FoodDiary"), Layers(name: "FoodDiarySamples"),
        Layers(name: "QueryKitInspector"), Layers(name: "QueryKitPostgres", without: ["FoodDiary"]),
        Layers(name: "FoodDiaryPostgres", at: "QueryKitPostgres/FoodDiary"),
    ]

    static let all =
        modules + ["Foundations", "Monitoring", "Mutations", "Persistence"].map { Layers(name: $0, at: "QueryKit/\($0)") }
        + ["Engine", "Database"].map { Layers(name: $0, at: "QueryKitSQLite/\($0)") }

    /// Which modules of the package each one imports.
    static let imports: [String: Set<String>] = [
        "QueryKit": [],
        "QueryKitTesting": ["QueryKit"],
        "QueryKitInspector": ["QueryKit"],
        "QueryKitSQL": [],
        "QueryKitSQLite": ["QueryKit", "QueryKitSQL", "CSQLite"],
        "QueryKitPostgres": ["QueryKit", "QueryKitSQL", "CPostgres"],
        "FoodDiaryKit": ["QueryKit"],
        "FoodDiarySQLite": ["QueryKit", "QueryKitSQLite", "FoodDiaryKit"],
        "FoodDiaryPostgres": ["QueryKit", "QueryKitPostgres", "FoodDiaryKit"],
        "FoodDiarySamples": ["QueryKit", "FoodDiaryKit"],
    ]

    let name: String
    let path: String
    private let read: Result<SourceModule, any Error>

    /// Reads all sources once, because all tests need them.
    init(name: String, at path: String? = nil, without others: [String] = []) {
        (self.name, self.path) = (name, path ?? name)
        read = Result { try SourceModule(name: name, at: Self.folder(of: path ?? name), without: others) }
    }

    var testDescription: String { name }

    var module: SourceModule {
        get throws { try read.get() }
    }

    static func folder(of module: String) -> URL { root.appending(path: "Sources/\(module)") }

    /// The types visible to other modules of the package, but not to apps.
    var packageTypes: Set<String> {
        get throws {
            let folder = Self.folder(of: path)
            let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path(percentEncoded: false))
            let texts = try paths.filter { $0.hasSuffix(".swift") }.map {
                try String(contentsOf: folder.appending(path: $0), encoding: .utf8)
            }
            let declaration = /(?m)^\s*package (?:final |indirect )?(?:actor|class|struct|enum|protocol|typealias) (\w+)/
            return Set(texts.flatMap { $0.matches(of: declaration).map { String($0.output.1) } })
        }
    }

    var order: LayerOrder {
        get throws {
            let text = try String(contentsOf: Self.root.appending(path: "ARCHITECTURE.md"), encoding: .utf8)
            return try #require(LayerOrder(of: name, in: text), "ARCHITECTURE.md has no line \"\(name)  … → …\"")
        }
    }

    /// Tests/LayeringTests/LayeringTests.swift is three steps below the package.
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
