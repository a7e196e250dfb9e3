/// A fault to try, with its checks.
struct Fault: Sendable {
    let name: String
    let summary: String
    let run: @Sendable (Trial) async throws -> Void

    static let all = files + postgres

    /// The faults of SQLite.
    private static let files = [
        Fault(name: "kill", summary: "A writing process is killed at a random moment.", run: Kills.run),
        Fault(name: "relaunch", summary: "A process with calls in a journal is killed at a random moment.", run: Relaunches.run),
        Fault(name: "lock", summary: "Another process holds the write lock.", run: Locks.run),
        Fault(name: "log", summary: "Another process reads one snapshot for a long time, so the log can't be emptied.", run: PinnedLog.run),
        Fault(name: "full", summary: "The database, or the disk, is full.", run: FullDisk.run),
        Fault(name: "readonly", summary: "The disk, the folder or the file can't be written, or not even read.", run: ReadOnlyPlaces.run),
        Fault(name: "files", summary: "The file isn't a database, or has an unexpected format.", run: OddFiles.run),
        Fault(name: "damage", summary: "The file or its log is damaged, or ends too early.", run: DamagedFiles.run),
        Fault(name: "copy", summary: "A database is copied without its log, after its process was killed.", run: CopiedFiles.run),
        Fault(name: "pages", summary: "Each page of a food diary is zeroed in turn.", run: DiaryPages.run),
        Fault(name: "parts", summary: "Each part of a food diary's schema is dropped in turn.", run: DiaryParts.run),
        Fault(name: "numbers", summary: "Each integer column of a food diary is set to its extremes.", run: DiaryNumbers.run),
        Fault(name: "foreign", summary: "A file of another program is at the location of a food diary.", run: ForeignFiles.run),
        Fault(name: "schema", summary: "The schema is newer, older, changed, or incomplete.", run: Schemas.run),
        Fault(name: "values", summary: "Values that are too large, of another type, or not numbers.", run: Values.run),
        Fault(name: "statements", summary: "Statements that are invalid, forbidden, too long or too deep.", run: Statements.run),
        Fault(name: "text", summary: "Texts of users that look like SQL, or like full-text queries.", run: UserTexts.run),
    ]
}
