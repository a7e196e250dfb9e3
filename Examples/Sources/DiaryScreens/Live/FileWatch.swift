package import Foundation
package import QueryKit

/// Detects that an open file was replaced or removed. Otherwise the reader would keep reading a file that no other process can see.
package struct FileWatch: Sendable {
    /// The identity of a file in the file system.
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

    /// Watches the file that exists now; `nil` if there is none.
    package init?(_ file: URL) {
        guard let first = Identity(file.path) else { return nil }
        (path, self.first) = (file.path, first)
    }

    /// Returns once the file was replaced or removed; checks every second.
    package func untilGone(_ clock: any QueryClock) async throws {
        while Identity(path) == first { try await clock.sleep(for: .seconds(1)) }
    }
}
