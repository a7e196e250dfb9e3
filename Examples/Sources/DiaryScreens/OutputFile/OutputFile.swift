import Foundation
import Terminal

/// A file that a command writes where its user says.
///
/// ```swift
/// let file = try await OutputFile("report.html", replaces: false, diary: location, console: console)
/// try await file.write { write in try write(Data(page.utf8)) }
/// ```
///
/// Refuses databases, and anything that is not a regular file; asks before it replaces a regular file. The new file appears under its
/// name when it is complete: until then, and if anything fails, the old file stays.
struct OutputFile: Sendable {
    /// The file as the user named it, absolute.
    let name: String

    private let search: FileSearch
    private let mayReplace: Bool

    /// Checks the place, and asks before a file is replaced; throws if nothing may be written.
    ///
    /// - Parameters:
    ///   - name: Relative to the current folder, unless it is absolute.
    ///   - replaces: Replaces a file without asking. Nothing else is allowed by it.
    ///   - diary: The diary that this process has open.
    init(_ name: String, replaces: Bool, diary: URL?, console: Console) async throws {
        self.name = FileSearch.absolute(name)
        search = FileSearch(diary: diary?.path)
        switch search.target(self.name).verdict {
        case .create: mayReplace = false
        case .refuse(let reason): throw Obstacle(reason)
        case .replace where replaces: mayReplace = true
        case .replace:
            guard let isWanted = try await console.confirm("Replace \(self.name)?") else { throw Self.exists(self.name) }
            guard isWanted else { throw Obstacle("\(self.name) was left unchanged.") }
            mayReplace = true
        }
    }

    /// Writes the file in parts, and puts it in place when all of them are written.
    func write<Result: Sendable>(
        _ contents: (_ write: @escaping @Sendable (Data) throws -> Void) async throws -> Result
    ) async throws -> Result {
        let draft = try OutputDraft(for: try checked())
        do {
            let result = try await contents { try draft.write($0) }
            try Task.checkCancellation()
            // What is there may have changed in the meantime.
            guard try draft.publish(as: try checked(), replaces: mayReplace) else { throw Self.exists(name) }
            return result
        } catch {
            draft.discard()
            throw error
        }
    }

    /// Where to write to; throws if that may not be.
    private func checked() throws -> String {
        let target = search.target(name)
        switch target.verdict {
        case .create: return target.path
        case .replace where mayReplace: return target.path
        case .replace: throw Self.exists(name)
        case .refuse(let reason): throw Obstacle(reason)
        }
    }

    private static func exists(_ name: String) -> Obstacle {
        Obstacle("\(name) already exists and was left unchanged. To replace it add --replace, or choose another name.")
    }
}
