import QueryKit

/// The progress through a file that is read more than once.
struct FilePass: Sendable {
    private let size: Int64
    private let count: Int64
    private let progress: FoodDiaryFile.Progress
    /// The number of completed passes.
    private let done = Lock<Int64>(0)

    /// Starts the progress for a number of passes; throws if the file can't be read, or can be read only once.
    init(_ file: FoodDiaryFile, of count: Int64, _ progress: @escaping FoodDiaryFile.Progress) throws {
        if let reason = FileSearch().reasonNotToRead(file.path) { throw FoodDiaryError(.file, reason) }
        guard let size = Disk.size(file.path) else { throw FoodDiaryError(.file, "There is no file \(file.path). Check its name.") }
        guard Disk.isFile(file.path) else {
            throw FoodDiaryError(
                .file,
                "\(file.path) is not a regular file, and can be read only once. Copy its contents to a file, and import that."
            )
        }
        self.size = size
        self.count = count
        self.progress = progress
    }

    /// Reports how many bytes of the current pass were read.
    func tell(_ bytes: Int64) {
        progress(done.withLock(\.self) * size + min(bytes, size), count * size)
    }

    func end() { done.withLock { $0 += 1 } }
}
