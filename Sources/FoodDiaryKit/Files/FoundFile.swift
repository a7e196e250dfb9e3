/// What the file system has at a path.
enum FoundFile: Hashable, Sendable {
    case nothing
    /// The system can't say, for the reason that this value of `errno` gives.
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
        /// A file that SQLite keeps beside a database. Known by its name, never by opening it.
        case companion
        /// The write-ahead log or the rollback journal of a database.
        case databaseLog
        /// A file that this process is writing, such as its standard output.
        case inUse
        /// The file can't be opened, for the reason that this value of `errno` gives.
        case unreadable(Int32)
        case other
    }
}

extension FoundFile.Contents {
    /// How many bytes tell one kind of file from another.
    static let headLength = 16

    /// Tells the kind of a file by its first bytes.
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
    /// Whether SQLite may keep files of its own beside it. A file that this process is writing may be a new or an encrypted database.
    var mayHaveCompanions: Bool { contents == .database || contents == .inUse }

    /// What the file holds; `nil` if there is no file.
    var contents: Contents? {
        if case .file(let contents, _) = self { contents } else { nil }
    }
}
