import Foundation
import QueryKitSQLite

/// A second instance of this program, which writes on request.
// Invariant: used by one case at a time, in order.
final class OtherProcess: @unchecked Sendable {
    /// The argument that selects this mode.
    static let argument = "--write-to"

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(writingTo path: String) throws {
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = [Self.argument, path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        _ = line()
    }

    func write(_ name: String) { input.fileHandleForWriting.write(Data("\(name)\n".utf8)) }

    /// When the latest write was committed, in seconds since 1970.
    func commitTime() async -> Double { Double(line()) ?? 0 }

    func end() {
        input.fileHandleForWriting.closeFile()
        process.waitUntilExit()
    }

    private func line() -> String {
        var line = Data()
        while let byte = try? output.fileHandleForReading.read(upToCount: 1), let first = byte.first, first != UInt8(ascii: "\n") {
            line.append(first)
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// The work of the second process.
    static func serve(_ path: String) async throws {
        #if Postgres
            if path.hasPrefix("postgresql:") { return try await servePostgres(path) }
        #endif
        var configuration = SQLiteDatabase.Configuration()
        configuration.readerCount = 1
        let database = try await SQLiteDatabase.open(.file(URL(filePath: path)), configuration: configuration)
        print("ready")
        fflush(nil)
        while let name = readLine() {
            try await database.write { db in try db.execute("UPDATE food SET name = \(name) WHERE id = 1") }
            print(Date().timeIntervalSince1970)
            fflush(nil)
        }
        await database.close()
    }
}
