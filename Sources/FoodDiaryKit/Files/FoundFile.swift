/// What exists at a path in the file system.
enum FoundFile: Hashable, Sendable {
    case nothing
    /// The path can't be examined; the value is the `errno`.
    case unreachable(Int32)
    case folder
    case special(Special)
    case file(Contents, isWritable: Bool)

    enum Special: String, Hashable, Sendable {
        case device = "a device"
        case pipe = "a pipe"
        case socket = "a socket"
        case nameless = "an open file that no longer has a name"
    }

    enum Contents: Hashable, Sendable {
        case database
        /// A file that SQLite keeps beside a database. Recognized by its name, never by opening it.
        case companion
        /// The write-ahead log or the rollback journal of a database.
        case databaseLog
        /// A file that this process is writing, such as its standard output.
        case inUse
        /// The file can't be opened; the value is the `errno`.
        case unreadable(Int32)
        case other
    }
}

extension FoundFile.Contents {
    /// The number of bytes that distinguish one kind of file from another.
    static let headLength = 16

    /// Determines the kind of a file from its first bytes.
    init(head: some Collection<UInt8>) {
        let magics: [(bytes: [UInt8], contents: Self)] = [
            // sqlite.org/fileformat.html: The Database Header, The WAL File Format and The Rollback Journal.
            (Array("SQLite format 3\u{0}".utf8), .database),
            ([0x37, 0x7F, 0x06, 0x82], .databaseLog),
            ([0x37, 0x7F, 0x06, 0x83], .databaseLog),
            ([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7], .databaseLog),
        ]
        self = magics.first { head.starts(with: $0.bytes) }?.contents ?? .other
    }
}

extension FoundFile {
    /// Whether SQLite may keep files beside this one. A file that this process is writing may be a new or an encrypted database.
    var mayHaveCompanions: Bool { contents == .database || contents == .inUse }

    /// The contents of the file; `nil` if there is no file.
    var contents: Contents? {
        if case .file(let contents, _) = self { contents } else { nil }
    }
}
