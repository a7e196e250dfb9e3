import Dispatch
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that is replaced as a whole and readable only by its user.
struct ArchiveFile: Sendable {
    let path: String

    private static let queue = DispatchQueue(label: "QueryKit.archives")

    /// Replaces the file in one step, on a dispatch queue: disk access may block for long, and tasks share few threads.
    func replace(with data: Data) async throws {
        let cancellation = SharedFlag()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                Self.queue.async { continuation.resume(with: Result { try write(data, unless: cancellation) }) }
            }
        } onCancel: {
            cancellation.raise()
        }
    }

    private func write(_ data: Data, unless cancellation: SharedFlag) throws {
        let end = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let (folder, name) = (String(path[..<end]), path[end...])
        do {
            if !folder.isEmpty { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
        } catch {
            throw QueryError(.unwritableData, "The folder \(folder) can't be created. Choose another one.", underlying: error)
        }
        let draft = "\(folder).\(name).\(UUID().uuidString)"
        // Readable only by the user from the first moment on.
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(errno) }
        do {
            defer { close(descriptor) }
            try write(data, to: descriptor)
            // The data must reach the disk before the new name does. Some file systems don't support `fsync`.
            guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure(errno) }
            if cancellation.isRaised { throw CancellationError() }
            guard rename(draft, path) == 0 else { throw failure(errno) }
        } catch {
            unlink(draft)
            throw error
        }
        // Removes drafts of processes that were killed while they saved. A draft that is an hour old is no longer being written.
        Leftovers.remove(in: folder, prefix: ".\(name).", olderThan: 3_600)
    }

    private func write(_ data: Data, to descriptor: Int32) throws {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { posixWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { throw failure(errno) }
            rest = rest.dropFirst(max(0, count))
        }
    }

    private func failure(_ number: Int32) -> QueryError {
        let reason = String(cString: strerror(number))
        return QueryError(.unwritableData, "The archive \(path) can't be written: \(reason). Check the folder and the free space.")
    }
}

/// `write(2)`, which a method with the same name would hide.
private func posixWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(descriptor, bytes, count) }
