import Foundation
import TestSupport

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

/// The files of one test.
struct ExchangeFolder {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func file(_ name: String) throws -> FoodDiaryFile { try FoodDiaryFile(folder.file(name)) }

    func file(_ name: String, _ text: String) throws -> FoodDiaryFile { try file(name, Data(text.utf8)) }

    func file(_ name: String, _ bytes: Data) throws -> FoodDiaryFile {
        try bytes.write(to: folder.file(name))
        return try file(name)
    }

    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)) ?? [] }

    func text(_ name: String) throws -> String { String(decoding: try Data(contentsOf: folder.file(name)), as: UTF8.self) }
}

extension FoodDiaryImport {
    /// The problems as a user reads them.
    var lines: [String] { problems.map(\.description) }
}
