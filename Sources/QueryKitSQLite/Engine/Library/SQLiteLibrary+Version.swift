extension SQLiteLibrary {
    /// A version of SQLite, ordered numerically: 3.9 comes before 3.39.
    public struct Version: Sendable, Hashable, Comparable, LosslessStringConvertible {
        public let major: Int
        public let minor: Int
        public let patch: Int

        public init(major: Int, minor: Int, patch: Int) {
            self.major = major
            self.minor = minor
            self.patch = patch
        }

        /// Creates a version from SQLite's version number: 3.40.1 is 3040001.
        ///
        /// SQLite defines the number as "X*1000000 + Y*1000 + Z where X, Y, and Z are the same numbers used in SQLITE_VERSION".
        public init(number: Int) {
            self.init(major: number / 1_000_000, minor: number / 1_000 % 1_000, patch: number % 1_000)
        }

        /// Parses "3.40.1" or "3.40"; `nil` for anything else.
        public init?(_ description: String) {
            let parts = description.split(separator: ".", omittingEmptySubsequences: false)
            guard (2...3).contains(parts.count) else { return nil }
            // Only digits: `Int` would also accept a sign.
            let numbers = parts.compactMap { part in
                part.allSatisfy { $0.isASCII && $0.isNumber } ? Int(part) : nil
            }
            guard numbers.count == parts.count else { return nil }
            self.init(major: numbers[0], minor: numbers[1], patch: numbers.count == 3 ? numbers[2] : 0)
        }

        /// SQLite's version number, 3040001 for 3.40.1.
        public var number: Int {
            major * 1_000_000 + minor * 1_000 + patch
        }

        public var description: String {
            "\(major).\(minor).\(patch)"
        }

        public static func < (left: Version, right: Version) -> Bool {
            (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
        }
    }
}
