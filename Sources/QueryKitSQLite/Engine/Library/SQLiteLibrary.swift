/// The SQLite library that this process uses: its version and its features.
///
/// The system's SQLite is used, so its version is known only at run time. ``linked`` queries the library and tests each feature once,
/// instead of relying on the platform or on the header that the program was built with.
///
/// ```swift
/// try SQLiteLibrary.linked.check()
/// ```
public struct SQLiteLibrary: Sendable, Hashable {
    /// The oldest supported version.
    public static let minimum = Version(major: 3, minor: 39, patch: 0)

    /// The features that QueryKitSQLite requires.
    package static let required: Set<Feature> = [
        .threads, .writeAheadLog, .defensiveMode, .fullTextSearch, .trigramTokenizer, .json, .strictTables, .returning,
        .authorizer, .updateHook, .commitHook, .progressHandler, .backup,
    ]

    /// The version that the library reports.
    public let version: Version

    /// The features that were found, required or not.
    package let features: Set<Feature>

    /// Describes a library, for example a made-up one in a test; the actual one is ``linked``.
    package init(version: Version, features: Set<Feature>) {
        self.version = version
        self.features = features
    }

    /// Throws an ``Unsuitable`` error if this library is too old or lacks a feature. The error names everything that is missing.
    public func check() throws(Unsuitable) { try check(required: Self.required) }

    /// Checks this library for other features than the required ones.
    package func check(required: Set<Feature>) throws(Unsuitable) {
        let missing = required.subtracting(features)
        guard version < Self.minimum || !missing.isEmpty else { return }
        throw Unsuitable(version: version, minimum: Self.minimum, missing: missing)
    }
}

extension SQLiteLibrary {
    /// A feature that an SQLite library may or may not have been built with.
    ///
    /// A struct rather than an enum, so that later releases can add features.
    package struct Feature: Sendable, Hashable, CustomStringConvertible {
        /// The name that errors show for the feature.
        package let description: String

        /// Creates a feature with a name. Features with equal names are equal.
        package init(_ description: String) {
            self.description = description
        }

        /// Connections may be used from several threads (any threading mode but single-thread).
        package static let threads = Feature("thread safety")
        /// Concurrent readers and one writer.
        package static let writeAheadLog = Feature("write-ahead log")
        /// Protects a connection against SQL that would damage the file.
        package static let defensiveMode = Feature("defensive mode")
        /// Full-text search, version 5.
        package static let fullTextSearch = Feature("FTS5")
        /// The FTS5 tokenizer for substring search.
        package static let trigramTokenizer = Feature("FTS5 trigram tokenizer")
        /// The JSON functions on text.
        package static let json = Feature("JSON functions")
        /// JSON in SQLite's binary form. Not required.
        package static let binaryJSON = Feature("JSONB functions")
        /// Tables that enforce the type of each column.
        package static let strictTables = Feature("STRICT tables")
        /// Statements that write and return the written rows.
        package static let returning = Feature("RETURNING")
        /// A callback during the preparation of a statement, which reports what the statement will read and write.
        package static let authorizer = Feature("authorizer")
        /// A callback for each written row.
        package static let updateHook = Feature("update hook")
        /// A callback before a transaction commits.
        package static let commitHook = Feature("commit hook")
        /// A callback during a statement, which may interrupt it.
        package static let progressHandler = Feature("progress handler")
        /// Copies of a database in use.
        package static let backup = Feature("backup")
        /// A database as a block of bytes. Not required.
        package static let serialize = Feature("serialize")
        /// Historical reads from a write-ahead log. Not required.
        package static let snapshots = Feature("snapshots")
    }
}

extension SQLiteLibrary {
    /// The library can't be used. The message says what is missing and how to fix it.
    public struct Unsuitable: Error, Hashable, CustomStringConvertible {
        /// The version found.
        public let version: Version
        /// The required version.
        public let minimum: Version
        /// The missing required features.
        package let missing: Set<Feature>

        public var description: String {
            var reasons: [String] = []
            if version < minimum {
                reasons.append("\(minimum) or newer is needed")
            }
            if !missing.isEmpty {
                reasons.append("it lacks \(missing.map(\.description).sorted().joined(separator: ", "))")
            }
            return "SQLite \(version) can't be used: \(reasons.joined(separator: ", and ")). "
                + "Install or link a SQLite library that meets these requirements."
        }
    }
}
