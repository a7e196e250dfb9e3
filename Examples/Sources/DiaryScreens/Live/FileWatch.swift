package import Foundation
package import QueryKit

/// Notices that a file was replaced by another one, or removed, while somebody has it open: who reads on sees what nobody else sees any more.
package struct FileWatch: Sendable {
    /// By which the file system knows a file.
    private struct Identity: Equatable {
        let device: UInt64
        let number: UInt64

        init?(_ path: String) {
            var entry = stat()
            guard stat(path, &entry) == 0 else { return nil }
            (device, number) = (UInt64(truncatingIfNeeded: entry.st_dev), UInt64(truncatingIfNeeded: entry.st_ino))
        }
    }

    private let path: String
    private let first: Identity

    /// Begins with the file that is there now; `nil` if there is none.
    package init?(_ file: URL) {
        guard let first = Identity(file.path) else { return nil }
        (path, self.first) = (file.path, first)
    }

    /// Returns once the file is another one, or gone; looks each second.
    package func untilGone(_ clock: any QueryClock) async throws {
        while Identity(path) == first { try await clock.sleep(for: .seconds(1)) }
    }
}
