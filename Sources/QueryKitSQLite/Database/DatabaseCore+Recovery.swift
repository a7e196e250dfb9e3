extension DatabaseCore {
    func recover(from error: SQLiteError) async throws { throw error }
}

extension SQLiteDatabase {
    func repair(after error: any Error) async -> Bool { false }
}
