import Foundation
import QueryKit

extension FoodDiaryFile {
    /// Writes the entries of some days to the file, the oldest first, and answers with their number.
    ///
    /// The file appears when it is complete. Throws a ``FoodDiaryError`` if there is one already, unless it may be replaced.
    @discardableResult
    public func exportEntries(
        in days: ClosedRange<FoodDay> = FoodDay.range,
        of entries: any FoodEntryRepository,
        ingredients: any IngredientRepository,
        replacing: Bool = false,
        progress: @escaping @Sendable (_ count: Int) -> Void = { _ in }
    ) async throws -> Int {
        try await write(replacing: replacing) { write in
            try await FoodDiaryExport(as: format).entries(in: days, of: entries, ingredients: ingredients, progress: progress, to: write)
        }
    }

    /// Writes all ingredients to the file, and answers with their number.
    ///
    /// The file appears when it is complete. Throws a ``FoodDiaryError`` if there is one already, unless it may be replaced.
    @discardableResult
    public func exportIngredients(
        of ingredients: any IngredientRepository,
        replacing: Bool = false,
        progress: @escaping @Sendable (_ count: Int) -> Void = { _ in }
    ) async throws -> Int {
        try await write(replacing: replacing) { write in
            try await FoodDiaryExport(as: format).ingredients(of: ingredients, progress: progress, to: write)
        }
    }

    private func write(replacing: Bool, _ export: (@escaping FoodDiaryExport.Write) async throws -> Int) async throws -> Int {
        let folder = Disk.folder(of: path)
        if Disk.isFolder(path) { throw FoodDiaryError(.file, "\(path) is a folder.") }
        guard Disk.isFolder(folder) else { throw FoodDiaryError(.file, "There is no folder \(folder), so \(name) can not be made in it.") }
        let exists = FoodDiaryError(.file, "There is a file \(path) already.")
        if !replacing, Disk.exists(path) { throw exists }
        // A device or a pipe would be gone, and a file in its place.
        if Disk.exists(path), !Disk.isFile(path) { throw FoodDiaryError(.file, "\(path) is no file that can be replaced.") }
        Leftovers.remove(in: folder, prefix: name + ".", suffix: ".part")
        let draft = path + ".\(UUID().uuidString).part"
        do {
            defer { try? Disk.remove(draft) }
            try Disk.make(draft)
            let size = Lock<Int64>(0)
            let count = try await export { data in
                let offset = size.withLock { size in
                    defer { size += Int64(data.count) }
                    return size
                }
                try Disk.write([UInt8](data), to: draft, at: offset)
            }
            try Disk.sync(draft)
            // A name that was taken meanwhile is not taken away again. Not every file system can say so in one step.
            if replacing {
                try Disk.move(draft, to: path)
            } else if try !Disk.link(draft, as: path) {
                if Disk.exists(path) { throw exists }
                try Disk.move(draft, to: path)
            }
            try Disk.sync(folder)
            return count
        } catch let error as SQLiteError {
            // The file's other name is nobody's business.
            throw FoodDiaryError(.file, error.message.replacing(draft, with: path))
        }
    }
}
