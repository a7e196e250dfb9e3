import Foundation

/// What the file system says of a database: differs when it was written.
struct FileStamp: Equatable {
    private struct File: Equatable {
        let size: Int
        let date: Date
    }

    private let files: [File?]

    init(of path: String) {
        files = [path, path + "-wal"].map { file in
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: file) else { return nil }
            // An empty log is made by whoever opens the file, and says nothing.
            guard let size = attributes[.size] as? Int, size > 0 else { return nil }
            return File(size: size, date: attributes[.modificationDate] as? Date ?? .distantPast)
        }
    }
}
