/// The SQLite library that this process runs with: its version and what it can do.
///
/// An app does not bring its own SQLite: the system's is used, and which one that is shows only at run time. So nothing
/// here is concluded from the platform or from the header the program was built with; ``linked`` asks the library and
/// tries each feature once.
///
/// ```swift
/// try SQLiteLibrary.linked.check()
/// ```
public struct SQLiteLibrary: Sendable, Hashable {
    /// The oldest version that QueryKitSQLite works with.
    public static let minimum = Version(major: 3, minor: 39, patch: 0)

    /// What a library must be able to do for QueryKitSQLite to use it.
    package static let required: Set<Feature> = [
        .threads, .writeAheadLog, .defensiveMode, .fullTextSearch, .trigramTokenizer, .json, .strictTables, .returning,
        .authorizer, .updateHook, .commitHook, .progressHandler, .backup,
    ]

    /// The version the library reports for itself.
    public let version: Version

    /// The features that were found, required or not.
    package let features: Set<Feature>

    /// Describes a library, for instance an imagined one in a test; the real one is ``linked``.
    package init(version: Version, features: Set<Feature>) {
        self.version = version
        self.features = features
    }

    /// Throws an ``Unsuitable`` error if this library is too old or lacks something. The error names everything that is missing.
    public func check() throws(Unsuitable) { try check(required: Self.required) }

    /// The same for other features than those that we need.
    package func check(required: Set<Feature>) throws(Unsuitable) {
        let missing = required.subtracting(features)
        guard version < Self.minimum || !missing.isEmpty else { return }
        throw Unsuitable(version: version, minimum: Self.minimum, missing: missing)
    }
}

extension SQLiteLibrary {
    /// Something a SQLite library may or may not have been built with.
    ///
    /// A struct and not an enum, so that a later release can look for more.
    package struct Feature: Sendable, Hashable, CustomStringConvertible {
        /// The name under which an error lists the feature.
        package let description: String

        /// Names a feature; two features of the same name are the same.
        package init(_ description: String) {
            self.description = description
        }

        /// Connections may be used from several threads (any threading mode but single-thread).
        package static let threads = Feature("thread safety")
        /// Readers and one writer at the same time.
        package static let writeAheadLog = Feature("write-ahead log")
        /// A connection can refuse SQL that would damage the file.
        package static let defensiveMode = Feature("defensive mode")
        /// Full-text search, version 5.
        package static let fullTextSearch = Feature("FTS5")
        /// The tokenizer of FTS5 that finds substrings.
        package static let trigramTokenizer = Feature("FTS5 trigram tokenizer")
        /// The JSON functions on text.
        package static let json = Feature("JSON functions")
        /// JSON in SQLite's binary form. Not required.
        package static let binaryJSON = Feature("JSONB functions")
        /// Tables that enforce the type of each column.
        package static let strictTables = Feature("STRICT tables")
        /// Statements that write and hand back what they wrote.
        package static let returning = Feature("RETURNING")
        /// A callback that is told what a statement reads and writes while it is prepared.
        package static let authorizer = Feature("authorizer")
        /// A callback for each row that is written.
        package static let updateHook = Feature("update hook")
        /// A callback before a transaction commits.
        package static let commitHook = Feature("commit hook")
        /// A callback while a statement runs, which may stop it.
        package static let progressHandler = Feature("progress handler")
        /// Copies of a database that is in use.
        package static let backup = Feature("backup")
        /// A database as a block of bytes. Not required.
        package static let serialize = Feature("serialize")
        /// Historical reads from a write-ahead log. Not required.
        package static let snapshots = Feature("snapshots")
    }
}

extension SQLiteLibrary {
    /// The library cannot be used; the message says what it lacks and what would help.
    public struct Unsuitable: Error, Hashable, CustomStringConvertible {
        /// The version found.
        public let version: Version
        /// The version asked for.
        public let minimum: Version
        /// The features that were asked for and not found.
        package let missing: Set<Feature>

        public var description: String {
            var reasons: [String] = []
            if version < minimum {
                reasons.append("\(minimum) or newer is needed")
            }
            if !missing.isEmpty {
                reasons.append("it lacks \(missing.map(\.description).sorted().joined(separator: ", "))")
            }
            return "SQLite \(version) cannot be used: \(reasons.joined(separator: ", and ")). "
                + "Install or link a SQLite that has it."
        }
    }
}
