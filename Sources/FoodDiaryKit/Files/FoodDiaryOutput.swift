public import Foundation

/// A file that your app writes to a location chosen by the user, such as an export or a report.
///
/// ```swift
/// let output = FoodDiaryOutput(url)
/// let replaces = try output.wouldReplace()
/// if replaces { try await askUser("Replace \(url.lastPathComponent)?") }
/// try await output.write(replacing: replaces) { write in
///     try write(Data(page.utf8))
/// }
/// ```
///
/// Refuses databases and the files that SQLite keeps beside them, files that this process is writing, and anything that is not a regular
/// file. The new file appears only when it is complete; until then, and after any failure, the old file is unchanged. A symbolic link is
/// kept, and its target is created or replaced.
///
/// A database that this process has open is recognized without opening it again, which would release the locks that SQLite has on it.
public struct FoodDiaryOutput: Sendable {
    /// The location of the file.
    public let url: URL

    /// Creates an output at a location, where a file may not exist yet.
    public init(_ url: URL) { self.url = url }

    /// Whether a file exists that ``write(replacing:_:)`` would replace.
    ///
    /// Throws a ``FoodDiaryError`` if nothing may be written there. Its message names what exists there, and what to do next.
    public func wouldReplace() throws(FoodDiaryError) -> Bool {
        switch target.verdict {
        case .create: false
        case .replace: true
        case .refuse(let reason): throw FoodDiaryError(.file, reason)
        }
    }

    /// Writes the file in parts, and moves it to its location when all parts are written.
    ///
    /// Only the user may read a new file; a file that replaces another gets the permissions of the old one. Throws a ``FoodDiaryError`` if
    /// writing is not allowed or fails. Errors of the closure are rethrown.
    ///
    /// - Parameters:
    ///   - replacing: Whether an existing regular file may be replaced. Default: `false`. Anything else is never replaced.
    ///   - contents: Calls `write` with the next part, as often as needed.
    public func write<Result>(
        replacing: Bool = false,
        _ contents: (_ write: @escaping @Sendable (Data) throws -> Void) async throws -> Result
    ) async throws -> Result {
        let draft = try OutputDraft(for: try checked(replacing: replacing))
        do {
            let result = try await contents { try draft.write($0) }
            try Task.checkCancellation()
            // The file system may have changed since the check.
            guard try draft.publish(as: try checked(replacing: replacing), replaces: replacing) else { throw exists }
            return result
        } catch {
            draft.discard()
            throw error
        }
    }

    private var path: String { url.path(percentEncoded: false) }

    private var target: OutputTarget { FileSearch().target(path) }

    private var exists: FoodDiaryError {
        FoodDiaryError(.file, "\(path) already exists and was left unchanged. Choose another name, or allow replacing it.")
    }

    /// The path to write to; throws if writing there is not allowed.
    private func checked(replacing: Bool) throws(FoodDiaryError) -> String {
        let target = target
        switch target.verdict {
        case .create: return target.path
        case .replace where replacing: return target.path
        case .replace: throw exists
        case .refuse(let reason): throw FoodDiaryError(.file, reason)
        }
    }
}
