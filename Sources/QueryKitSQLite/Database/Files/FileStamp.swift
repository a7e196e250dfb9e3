import Foundation

/// The sizes and modification dates of a database and its log. They differ after a write.
struct FileStamp: Equatable {
    private struct File: Equatable {
        let size: Int
        let date: Date
    }

    private let files: [File?]

    init(of path: String) {
        files = [path, path + "-wal"].map { file in
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: file) else { return nil }
            // Any process that opens the file creates an empty log, so an empty log doesn't count.
            guard let size = attributes[.size] as? Int, size > 0 else { return nil }
            return File(size: size, date: attributes[.modificationDate] as? Date ?? .distantPast)
        }
    }
}
