import Foundation
import QueryKit

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that is still being written, under a temporary name beside its final location.
struct OutputDraft: Sendable {
    private static let (prefix, suffix) = ("food-diary-", ".part")

    private let path: String
    /// `nil` once nothing more may be written, because the number of the descriptor may belong to another file by then.
    private let descriptor: Lock<Int32?>

    /// The path as the user wrote it.
    private let target: String

    /// Creates an empty draft in the folder of the final file.
    init(for target: String) throws {
        let folder = Disk.folder(of: target)
        Leftovers.remove(in: folder, prefix: Self.prefix, suffix: Self.suffix)
        path = folder + Self.prefix + UUID().uuidString + Self.suffix
        self.target = target
        // Food and weight are private, so only the user may read a new file. A file that replaces another gets the old permissions later.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        self.descriptor = Lock(descriptor)
        guard descriptor >= 0 else {
            let number = errno
            throw switch number {
            case ENOENT: FoodDiaryError(.file, "There is no folder \(folder). Nothing was written; create it, or choose another folder.")
            case EACCES, EPERM, EROFS:
                FoodDiaryError(.file, "You can't create files in \(folder): \(String(cString: strerror(number))). Choose another folder.")
            default: Self.failure(target, number)
            }
        }
    }

    func write(_ data: Data) throws {
        try descriptor.withLock { descriptor in
            guard let descriptor else {
                throw FoodDiaryError(.invalid, "\(target) can't be written any more: call write before the closure returns.")
            }
            var rest = data[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { posixWrite(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno != EINTR { throw Self.failure(target, errno) }
                rest = rest.dropFirst(max(0, count))
            }
        }
    }

    /// Ends writing, and returns the descriptor for the caller to close.
    private func end() -> Int32? {
        descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
    }

    /// Gives the draft its final name in one step. Returns `false` if a file of that name exists and must not be replaced.
    func publish(as target: String, replaces: Bool) throws -> Bool {
        guard let descriptor = end() else { return false }
        defer { close(descriptor) }
        if let old = Self.entry(target) {
            // If the group can't be kept, another group must not get the old group's permissions.
            let keepsGroup = fchown(descriptor, old.st_uid, old.st_gid) == 0
            let mode = old.st_mode & (keepsGroup ? 0o777 : 0o707)
            guard fchmod(descriptor, mode) == 0 else { throw Self.failure(target, errno) }
        }
        // Some file systems don't support syncing.
        guard Self.sync(descriptor) == 0 || errno == EINVAL else { throw Self.failure(target, errno) }
        if replaces {
            guard rename(path, target) == 0 else { throw Self.failure(target, errno) }
        } else if link(path, target) == 0 {
            // The name was added in one step, so a file that was created since the check is kept.
            unlink(path)
        } else if errno == EEXIST || Self.entry(target) != nil {
            return false
        } else {
            // Some file systems don't support a second name for a file.
            guard rename(path, target) == 0 else { throw Self.failure(target, errno) }
        }
        Self.syncFolder(of: target)
        return true
    }

    /// Removes the draft. Call this once, unless the draft was published.
    func discard() {
        if let descriptor = end() { close(descriptor) }
        unlink(path)
    }

    /// Waits until the written data is on the disk.
    private static func sync(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            // On Apple's systems fsync(2) only hands the data to the disk, which may cache it. Not every file system supports F_FULLFSYNC.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
        #endif
        return fsync(descriptor)
    }

    /// Waits until the new name is on the disk. The file is already in place, so a failure changes nothing.
    private static func syncFolder(of path: String) {
        let descriptor = open(Disk.folder(of: path), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = sync(descriptor)
        close(descriptor)
    }

    private static func entry(_ path: String) -> stat? {
        var entry = stat()
        return lstat(path, &entry) == 0 ? entry : nil
    }

    /// - Parameter number: The system's number of the error.
    static func failure(_ target: String, _ number: Int32) -> FoodDiaryError {
        switch number {
        case ENOSPC, EDQUOT: FoodDiaryError(.file, "The disk is full: \(target) was not written. Make room, and try again.")
        default:
            FoodDiaryError(
                .file,
                "\(target) can't be written: \(String(cString: strerror(number))). What was there is unchanged; choose another file."
            )
        }
    }
}

/// Calls the C function, which a method of the same name would hide.
private func posixWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(descriptor, bytes, count) }
