import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

struct ArchiveFileTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("archives-\(UUID().uuidString)")

    private var file: URL { folder.appendingPathComponent("deep/archive.json") }

    private func remove() { try? FileManager.default.removeItem(at: folder) }

    /// The file names in the folder of the archive.
    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path).sorted() }
    }

    private var permissions: Int? {
        get throws { try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int }
    }

    @Test func `R28 values saved in a file are restored in the next launch, and only the user can read the file`() async throws {
        defer { remove() }
        let launch = Launch()
        let subscription = launch.client.archive(to: file, after: .seconds(1))
        for value in [10, 20] {
            launch.client.setValue(value, for: Number(1).archived())
            await launch.client.settled()
            launch.clock.advance(by: .seconds(1))
            await launch.client.settled()
            #expect(try names == ["archive.json"])
            #expect(try permissions == 0o600)
        }
        let next = Launch()
        try await next.client.hydrate(from: Data(contentsOf: file))
        #expect(next.client.store(for: Number(1).archived()).value == 20)
        subscription.cancel()
    }

    @Test func `R28 a failed write throws an error with the file's name and leaves no temporary file`() async throws {
        defer { remove() }
        // There is a folder at the path of the file.
        try FileManager.default.createDirectory(at: file.appendingPathComponent("full"), withIntermediateDirectories: true)
        let launch = Launch()
        let events = CacheEvents(of: launch.client)
        let subscription = launch.client.archive(to: file)
        launch.client.setValue(10, for: Number(1).archived())
        let error = await #expect(throws: QueryError.self) { try await launch.client.archiveNow() }
        #expect(error?.code == .unwritableData)
        #expect(error?.message.contains(file.path) == true)
        #expect(await events.first(1).map(\.kind) == [.storageFailed])
        #expect(try names == ["archive.json"])
        subscription.cancel()
    }

    @Test func `R28 the error for an archive that can't be written has its path, the reason and what to check`() async throws {
        defer { remove() }
        let path = file.path
        // There is a folder at the path of the file.
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let error = await #expect(throws: QueryError.self) { try await ArchiveFile(path: path).replace(with: Data("new".utf8)) }
        let reason = String(cString: strerror(EISDIR))
        #expect(error?.message == "The archive \(path) can't be written: \(reason). Check the folder and the free space.")
    }

    @Test func `R28 the error for a folder that can't be created has its path and says what to do`() async throws {
        defer { remove() }
        let path = file.path
        // There is a file at the path of a folder.
        try Data().write(to: folder)
        let error = await #expect(throws: QueryError.self) { try await ArchiveFile(path: path).replace(with: Data("new".utf8)) }
        #expect(error?.message == "The folder \(folder.path)/deep/ can't be created. Choose another one.")
    }

    @Test func `R28 a cancelled write leaves the file unchanged`() async throws {
        defer { remove() }
        try await ArchiveFile(path: file.path).replace(with: Data("old".utf8))
        let gate = Gate()
        let write = Task { [file] in
            try? await gate.pass()
            try await ArchiveFile(path: file.path).replace(with: Data("new".utf8))
        }
        write.cancel()
        await #expect(throws: CancellationError.self) { try await write.value }
        #expect(try String(contentsOf: file, encoding: .utf8) == "old")
        #expect(try names == ["archive.json"])
    }

    @Test func `R28 a save removes temporary files of a process that was killed during a save`() async throws {
        defer { remove() }
        let archive = ArchiveFile(path: file.path)
        try await archive.replace(with: Data("old".utf8))
        let (left, written, foreign) = (".archive.json.\(UUID().uuidString)", ".archive.json.\(UUID().uuidString)", ".archive.json.backup")
        for (name, age) in [(left, 7_200.0), (written, 60), (foreign, 7_200)] {
            let path = file.deletingLastPathComponent().appendingPathComponent(name).path
            try Data("draft".utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: path)
        }
        try await archive.replace(with: Data("new".utf8))
        #expect(try Set(names) == ["archive.json", written, foreign])
    }
}
