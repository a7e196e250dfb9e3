public import Foundation

/// A file that your app writes where its user says: an export, a report.
///
/// ```swift
/// let output = FoodDiaryOutput(url)
/// let replaces = try output.wouldReplace()
/// if replaces { try await askUser("Replace \(url.lastPathComponent)?") }
/// try await output.write(replacing: replaces) { write in try write(Data(page.utf8)) }
/// ```
///
/// Refuses databases and what SQLite keeps beside them, files that this process is writing, and anything that is not a regular file. The
/// new file appears under its name when it is complete: until then, and if anything fails, the old file stays. A symbolic link stays
/// too; the file that it leads to is created or replaced.
///
/// A database that this process has open is recognized without opening it again, which would end the locks that SQLite has on it.
public struct FoodDiaryOutput: Sendable {
    /// The location of the file.
    public let url: URL

    /// Names a file, which may not exist yet.
    public init(_ url: URL) { self.url = url }

    /// Whether there is a file that ``write(replacing:_:)`` would replace.
    ///
    /// Throws a ``FoodDiaryError`` if nothing may be written there. Its message says what is there and what to do.
    public func wouldReplace() throws(FoodDiaryError) -> Bool {
        switch target.verdict {
        case .create: false
        case .replace: true
        case .refuse(let reason): throw FoodDiaryError(.file, reason)
        }
    }

    /// Writes the file in parts, and puts it in place when all of them are written.
    ///
    /// Only the user may read a new file; one that replaces another gets the permissions of the old one. Throws a ``FoodDiaryError`` if
    /// nothing may be written there, or if that fails. An error of the closure is passed on.
    ///
    /// - Parameters:
    ///   - replacing: Whether a file that exists may be replaced. Default: no. Nothing else is allowed by it.
    ///   - contents: Calls `write` with the next part, as often as needed.
    public func write<Result>(
        replacing: Bool = false,
        _ contents: (_ write: @escaping @Sendable (Data) throws -> Void) async throws -> Result
    ) async throws -> Result {
        let draft = try OutputDraft(for: try checked(replacing: replacing))
        do {
            let result = try await contents { try draft.write($0) }
            try Task.checkCancellation()
            // What is there may have changed in the meantime.
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
        FoodDiaryError(.file, "\(path) already exists and was left unchanged. Choose another name, or allow that it is replaced.")
    }

    /// Where to write to; throws if that may not be.
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
