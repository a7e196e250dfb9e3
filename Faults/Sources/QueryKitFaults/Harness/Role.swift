import Foundation

/// The work of this program when it runs as a child of itself.
struct Role: Sendable {
    /// The argument that makes the program run as a child.
    static let argument = "--child"

    static let all = files + postgres

    private static let files = [
        Kills.writer, ParcelSender.role, Locks.holder, PinnedLog.reader, FullDisk.filler, ReadOnlyPlaces.visitor, ReadOnlyPlaces.stranger,
        DamagedFiles.maker, DiaryVisitor.role, DamagedFiles.opener, Schemas.slow, Schemas.racer,
    ]

    let name: String
    let run: @Sendable (Trial, [String]) async throws -> Void

    init(_ name: String, _ run: @escaping @Sendable (Trial, [String]) async throws -> Void) {
        self.name = name
        self.run = run
    }

    /// The arguments are a folder, the seed, and those of the role.
    static func serve(_ name: String, _ arguments: [String]) async throws {
        // If the parent has ended, a write ends this process.
        signal(SIGPIPE, SIG_DFL)
        guard let role = all.first(where: { $0.name == name }), arguments.count >= 2 else { exit(64) }
        let plan = Plan(names: [], seed: UInt64(arguments[1]) ?? 1)
        let trial = Trial(name, in: URL(filePath: arguments[0]), plan)
        try await role.run(trial, Array(arguments.dropFirst(2)))
    }

    /// Sends a line to the parent at once.
    static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
