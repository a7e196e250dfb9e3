import Foundation

/// What this program does as a child of itself.
struct Role: Sendable {
    /// The argument that makes the program a child.
    static let argument = "--child"

    static let all = [
        Kills.writer, ParcelSender.role, Locks.holder, PinnedLog.reader, FullDisk.filler, ReadOnlyPlaces.visitor, ReadOnlyPlaces.stranger,
        DamagedFiles.maker, DiaryVisitor.role, DamagedFiles.opener, Schemas.slow, Schemas.racer,
    ]

    let name: String
    let run: @Sendable (Trial, [String]) async throws -> Void

    init(_ name: String, _ run: @escaping @Sendable (Trial, [String]) async throws -> Void) {
        self.name = name
        self.run = run
    }

    /// The arguments are a folder, the seed, and what the role needs.
    static func serve(_ name: String, _ arguments: [String]) async throws {
        // Whoever listened has gone: then there is nothing left to do.
        signal(SIGPIPE, SIG_DFL)
        guard let role = all.first(where: { $0.name == name }), arguments.count >= 2 else { exit(64) }
        let plan = Plan(names: [], seed: UInt64(arguments[1]) ?? 1)
        let trial = Trial(name, in: URL(filePath: arguments[0]), plan)
        try await role.run(trial, Array(arguments.dropFirst(2)))
    }

    /// Tells the parent something, at once.
    static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
