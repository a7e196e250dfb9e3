// Only Linux can remove the pages of a file from its page cache.
#if canImport(Glibc)
    import Glibc
    import SQLiteTestSupport
    import TestSupport

    @testable import QueryKitSQLite

    /// A database in a file whose pages can be removed from memory, so that the next read waits for the disk.
    ///
    /// Close it only after the database: closing a descriptor of the file releases all locks that the process holds on it.
    final class ColdFile: Sendable {
        private static let rowCount = 2_000
        private static let pageSize = 4_096

        let database: SQLiteDatabase
        private let folder: TemporaryFolder
        private let descriptor: Int32

        /// - Parameter configure: Changes the configuration. There is one reader, because each connection measures its own statements, and
        ///   its own page cache is too small for the pages of a read.
        init(configure: (inout SQLiteDatabase.Configuration) -> Void) async throws {
            folder = try TemporaryFolder()
            database = try await .make(.file(folder.file()), "CREATE TABLE pages (id INTEGER PRIMARY KEY, content BLOB NOT NULL)") {
                $0.readerCount = 1
                $0.cacheKibibytes = 16
                configure(&$0)
            }
            try await database.write { db in
                for id in 0..<Self.rowCount { try db.execute("INSERT INTO pages VALUES (\(id), randomblob(3900))") }
            }
            _ = try await database.checkpoint()
            descriptor = open(folder.path(), O_RDWR)
        }

        deinit { close(descriptor) }

        /// Removes all pages from memory.
        func removeFromMemory() { Self.removeFromMemory(descriptor) }

        private static func removeFromMemory(_ descriptor: Int32) {
            // Only pages that are on the disk can be removed.
            fdatasync(descriptor)
            posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        }

        /// Reads 32 rows, each on a page of its own and far from the others.
        static let sql: SQL = """
            WITH RECURSIVE ids(id) AS (SELECT 0 UNION ALL SELECT id + 62 FROM ids WHERE id < 1900)
            SELECT sum(length(content)) FROM ids JOIN pages USING (id)
            """

        /// The number of blocks that the current thread has waited for so far.
        static func blocksReadByThisThread() -> Int {
            var usage = rusage()
            // RUSAGE_THREAD, which needs a macro in C.
            getrusage(__rusage_who_t(1), &usage)
            return usage.ru_inblock
        }

        /// Whether the pages of a file leave memory at all. In some file systems they are stored only there.
        static func isSupported() throws -> Bool {
            let folder = try TemporaryFolder()
            let descriptor = open(folder.path(), O_RDWR | O_CREAT, 0o600)
            defer { close(descriptor) }
            let size = 64 * pageSize
            let written = [UInt8](repeating: 1, count: size).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard written == size else { return false }
            removeFromMemory(descriptor)
            guard let pages = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0), pages != MAP_FAILED else { return false }
            defer { munmap(pages, size) }
            var residence = [UInt8](repeating: 1, count: 64)
            guard mincore(pages, size, &residence) == 0 else { return false }
            return residence.allSatisfy { $0 & 1 == 0 }
        }
    }
#endif
