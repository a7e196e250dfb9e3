import Foundation

/// Mounts that only one child sees, and that go with it (Linux).
enum MountSpace {
    /// Whether the system lets this process make them.
    static let isAvailable: Bool = {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/unshare") else { return false }
        let process = Process()
        let words = command("mount -t tmpfs -o size=1m tmpfs /mnt") + ["/bin/true", "", "", "/mnt"]
        process.executableURL = URL(filePath: words[0])
        process.arguments = Array(words.dropFirst())
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// The words that come before a command which is to run after some mounting.
    static func command(_ mounting: String) -> [String] {
        let user = getuid() == 0 ? [] : ["--user", "--map-root-user"]
        return ["/usr/bin/unshare", "--mount", "--propagation", "private"] + user + ["sh", "-c", "\(mounting) && exec \"$0\" \"$@\""]
    }

    static let skipped = "no mounts allowed here, so that part is skipped"
}
