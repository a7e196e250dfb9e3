import CSQLite

extension SQLiteLibrary {
    /// The library that this process is linked with. It is tested on first use, which takes about a millisecond and touches no file.
    public static let linked = SQLiteLibrary(
        version: Version(number: Int(sqlite3_libversion_number())),
        features: detectedFeatures()
    )

    private static func detectedFeatures() -> Set<Feature> {
        var found: Set<Feature> = []
        for (feature, works) in featureTests {
            guard let database = FeatureTestDatabase() else { break }
            if works(database) {
                found.insert(feature)
            }
        }
        return found
    }

    /// The features with their tests. Each test gets a new database, so no test depends on another.
    private static var featureTests: [(Feature, (borrowing FeatureTestDatabase) -> Bool)] {
        [
            (.threads, { _ in sqlite3_threadsafe() != 0 }),
            // A database in memory has no log, so this feature can't be tested without a file.
            (.writeAheadLog, { _ in sqlite3_compileoption_used("OMIT_WAL") == 0 }),
            (.defensiveMode, { $0.canBeDefensive() }),
            (.fullTextSearch, { $0.run("CREATE VIRTUAL TABLE f USING fts5(a)") }),
            (.trigramTokenizer, { $0.run("CREATE VIRTUAL TABLE f USING fts5(a, tokenize = 'trigram')") }),
            (.json, { $0.run("SELECT json('{}'), json_extract('[1]', '$[0]')") }),
            (.binaryJSON, { $0.run("SELECT jsonb('{}')") }),
            (.strictTables, { $0.run("CREATE TABLE s (a INTEGER) STRICT") }),
            (.returning, { $0.run("INSERT INTO t VALUES (1) RETURNING a") }),
            (.authorizer, { $0.callsAuthorizer() }),
            (.updateHook, { $0.callsUpdateHook() }),
            (.commitHook, { $0.callsCommitHook() }),
            (.progressHandler, { $0.stopsInProgressHandler() }),
            (.backup, { $0.canBeCopied() }),
            (.serialize, { $0.canBeSerialized() }),
            // The functions are not in every header, so check the build option.
            (.snapshots, { _ in sqlite3_compileoption_used("ENABLE_SNAPSHOT") != 0 }),
        ]
    }
}

/// A database in memory with one table `t (a)`, closed at the end of its scope.
private struct FeatureTestDatabase: ~Copyable {
    private let handle: OpaquePointer

    init?() {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
        // "Whether or not an error occurs when it is opened, resources … should be released by passing it to sqlite3_close()."
        guard code == SQLITE_OK, let handle, sqlite3_exec(handle, "CREATE TABLE t (a)", nil, nil, nil) == SQLITE_OK else {
            sqlite3_close_v2(handle)
            return nil
        }
        self.handle = handle
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    func run(_ sql: String) -> Bool {
        sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
    }

    func canBeDefensive() -> Bool {
        var result: CInt = 0
        let code = querykit_db_config_flag(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, &result)
        return code == SQLITE_OK && result == 1
    }

    func callsAuthorizer() -> Bool {
        wasCalled { called in
            sqlite3_set_authorizer(
                handle,
                { called, _, _, _, _, _ in
                    called?.storeBytes(of: true, as: Bool.self)
                    return SQLITE_OK
                },
                called
            )
            _ = run("SELECT a FROM t")
            sqlite3_set_authorizer(handle, nil, nil)
        }
    }

    func callsUpdateHook() -> Bool {
        wasCalled { called in
            _ = sqlite3_update_hook(handle, { called, _, _, _, _ in called?.storeBytes(of: true, as: Bool.self) }, called)
            _ = run("INSERT INTO t VALUES (1)")
            _ = sqlite3_update_hook(handle, nil, nil)
        }
    }

    func callsCommitHook() -> Bool {
        wasCalled { called in
            _ = sqlite3_commit_hook(
                handle,
                { called in
                    called?.storeBytes(of: true, as: Bool.self)
                    return 0
                },
                called
            )
            _ = run("INSERT INTO t VALUES (1)")
            _ = sqlite3_commit_hook(handle, nil, nil)
        }
    }

    func stopsInProgressHandler() -> Bool {
        sqlite3_progress_handler(handle, 1, { _ in 1 }, nil)
        let code = sqlite3_exec(handle, "SELECT count(*) FROM t", nil, nil, nil)
        sqlite3_progress_handler(handle, 0, nil, nil)
        return code == SQLITE_INTERRUPT
    }

    func canBeCopied() -> Bool {
        guard let copy = FeatureTestDatabase(), let backup = sqlite3_backup_init(copy.handle, "main", handle, "main") else {
            return false
        }
        let step = sqlite3_backup_step(backup, -1)
        return sqlite3_backup_finish(backup) == SQLITE_OK && step == SQLITE_DONE
    }

    func canBeSerialized() -> Bool {
        var size: sqlite3_int64 = 0
        guard let bytes = sqlite3_serialize(handle, "main", &size, 0) else { return false }
        sqlite3_free(bytes)
        return size > 0
    }

    /// Passes a pointer that a C callback sets, and returns whether it was set.
    private func wasCalled(_ body: (UnsafeMutableRawPointer) -> Void) -> Bool {
        var called = false
        withUnsafeMutableBytes(of: &called) { bytes in
            if let base = bytes.baseAddress {
                body(base)
            }
        }
        return called
    }
}
