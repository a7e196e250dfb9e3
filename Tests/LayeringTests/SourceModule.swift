import Foundation

/// The source files of one module, by folder.
struct SourceModule {
    struct File {
        /// The path inside the module, "Store/QueryStore.swift".
        let path: String
        let facts: SourceFacts

        /// The first folder of the path; `nil` for a file in the module's root.
        var folder: String? {
            path.split(separator: "/").dropLast().first.map(String.init)
        }
    }

    struct Arrow: Equatable, CustomStringConvertible {
        let file: String
        let name: String
        let folder: String

        var description: String {
            "\(file) names \(name), which belongs to \(folder)"
        }
    }

    let name: String
    let files: [File]

    /// A module made from source texts, by path.
    init(name: String, sources: [String: String]) {
        self.name = name
        files = sources.sorted { $0.key < $1.key }.map { File(path: $0.key, facts: SourceFacts($0.value, module: name)) }
    }

    /// A module, or one of its folders, read from disk; without documentation catalogs and folders that belong to other modules.
    init(name: String, at folder: URL, without others: [String] = []) throws {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path(percentEncoded: false))
        var sources: [String: String] = [:]
        for path in paths where path.hasSuffix(".swift") && !path.contains(".docc/") {
            if others.contains(where: { path.hasPrefix($0 + "/") }) { continue }
            sources[path] = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
        }
        self.init(name: name, sources: sources)
    }

    /// The folders that contain source files.
    var folders: Set<String> {
        Set(files.compactMap(\.folder))
    }

    /// All mentions of a name that exactly one other folder declares, if the order forbids them.
    ///
    /// A name that the file's own folder or an allowed one also declares, such as a nested one, may mean that one and is allowed.
    func forbiddenArrows(by order: LayerOrder) -> [Arrow] {
        var owners: [String: Set<String>] = [:]
        var known: [String: Set<String>] = [:]
        for file in files {
            guard let folder = file.folder else { continue }
            for name in file.facts.topLevel { owners[name, default: []].insert(folder) }
            known[folder, default: []].formUnion(file.facts.declared)
        }
        return files.flatMap { file -> [Arrow] in
            guard let folder = file.folder else { return [] }
            let inReach = known.filter { order.allows(folder, toName: $0.key) }.values
            return file.facts.mentions.sorted().compactMap { name in
                guard let owner = owners[name], owner.count == 1, let other = owner.first else { return nil }
                guard other != folder, !order.allows(folder, toName: other) else { return nil }
                guard !inReach.contains(where: { $0.contains(name) }) else { return nil }
                return Arrow(file: file.path, name: name, folder: other)
            }
        }
    }
}
