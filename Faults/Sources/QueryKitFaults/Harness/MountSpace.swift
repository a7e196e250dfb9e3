import Foundation

/// Mounts that are visible to only one child, and that disappear when it ends (Linux).
enum MountSpace {
    /// Whether the system allows this process to mount.
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

    /// The arguments before a command that is to run after mounting.
    static func command(_ mounting: String) -> [String] {
        let user = getuid() == 0 ? [] : ["--user", "--map-root-user"]
        return ["/usr/bin/unshare", "--mount", "--propagation", "private"] + user + ["sh", "-c", "\(mounting) && exec \"$0\" \"$@\""]
    }

    static let skipped = "mounting is not allowed here, so that part is skipped"
}
