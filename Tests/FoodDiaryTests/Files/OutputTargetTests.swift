import Foundation
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import QueryKitSQLite

/// The decision whether a file may be written, made from facts only.
struct OutputTargetTests {
    private static func target(_ found: FoundFile, base: FoundFile = .nothing, logs: [FoundFile] = []) -> OutputTarget {
        OutputTarget(name: "/a/page.html", path: "/a/page.html", found: found, base: base, logs: logs)
    }

    private static func file(_ contents: FoundFile.Contents) -> FoundFile { .file(contents, isWritable: true) }

    @Test func `a free name can be created, and an ordinary file can be replaced`() {
        #expect(Self.target(.nothing).verdict == .create)
        #expect(Self.target(.nothing, base: Self.file(.other)).verdict == .create)
        #expect(Self.target(Self.file(.other)).verdict == .replace)
        #expect(Self.target(Self.file(.other), base: Self.file(.other), logs: [Self.file(.other), .nothing]).verdict == .replace)
    }

    private static let refused: [(OutputTarget, String)] = [
        (target(file(.database)), "is an SQLite database. It was left unchanged; choose another file."),
        (target(file(.databaseLog)), "belongs to an SQLite database. It was left unchanged; choose another file."),
        (target(file(.companion)), "belongs to an SQLite database. It was left unchanged; choose another file."),
        (target(file(.other), logs: [file(.databaseLog)]), "belongs to an SQLite database. It was left unchanged; choose another file."),
        (
            target(file(.unreadable(EACCES))),
            "can't be read, so it may be a diary: Permission denied. It was left unchanged; choose another file, or make it readable."
        ),
        (
            target(.file(.other, isWritable: false)),
            "is read-only. It was left unchanged; choose another file, or make it writable."
        ),
        (
            target(file(.inUse)),
            "is open for writing in this process. It was left unchanged; choose another file, or close it first."
        ),
        (target(.folder), "is a folder. Nothing was written; choose a file in it."),
        (
            target(.special(.device)),
            "is a device, not a file. Nothing was written; choose a file."
        ),
        (target(.unreachable(ENOTDIR)), "can't be reached: Not a directory. Nothing was written; choose another file."),
        (
            target(.unreachable(ELOOP)),
            "is a symbolic link that points to itself. Nothing was written; remove the link, or choose another file."
        ),
    ]

    @Test(arguments: refused) func `anything else is refused, with what is there and what to do next`(target: OutputTarget, reason: String)
    {
        #expect(target.verdict == .refuse("/a/page.html \(reason)"))
    }

    @Test func `a name that SQLite uses beside a database is refused, even if it is free`() {
        for base in [Self.file(.inUse), Self.file(.database)] {
            let target = OutputTarget(name: "/a/b.db-wal", path: "/a/b.db-wal", found: .nothing, base: base)
            #expect(
                target.verdict
                    == .refuse(
                        "SQLite keeps a file of its own at /a/b.db-wal, beside a database. Nothing was written; choose another name."
                    )
            )
        }
        let bases = ["/a/b.db-wal", "/a/b-SHM", "/a/b-journal", "/a/b-walnut", "/a/wal"].map { OutputTarget.base(of: $0) }
        #expect(bases == ["/a/b.db", "/a/b", "/a/b", nil, nil])
    }

    @Test func `a refusal names the link and its target`() {
        let target = OutputTarget(name: "/a/page.html", path: "/b/diary.db", found: Self.file(.database))
        #expect(
            target.verdict
                == .refuse(
                    "/a/page.html points to /b/diary.db, which is an SQLite database. It was left unchanged; choose another file."
                )
        )
    }

    @Test func `databases and their logs are recognized by their first bytes`() {
        let database = Array("SQLite format 3\u{0}".utf8)
        #expect(FoundFile.Contents(head: database) == .database)
        #expect(FoundFile.Contents(head: database.dropLast()) == .other)
        for head: [UInt8] in [[0x37, 0x7F, 6, 0x82, 9], [0x37, 0x7F, 6, 0x83], [0xD9, 0xD5, 5, 0xF9, 0x20, 0xA1, 0x63, 0xD7]] {
            #expect(FoundFile.Contents(head: head) == .databaseLog)
            #expect(FoundFile.Contents(head: head.prefix(3)) == .other)
        }
        #expect(FoundFile.Contents(head: []) == .other)
    }
}
