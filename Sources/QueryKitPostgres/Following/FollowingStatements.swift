#if Postgres
/// The statements by which transactions find out what they read and change.
struct FollowingStatements: Sendable {
    /// The counters before the first statement of a read: which table, and how often it was used.
    let opening: String
    /// The same for a write, with the number of the transaction in a row without a table.
    let openingOfWrite: String
    /// Only the number of the transaction.
    let number: String
    /// The list of tables after each statement; see ``TableUse``.
    let companion: String
    /// What the transaction has changed, before it is committed; see ``LogRow``.
    let closing: String

    /// Creates the statements.
    ///
    /// - Parameter columns: The column of each table with declared partitions.
    init(columns: [String: String]) {
        opening = Self.opening
        openingOfWrite = Self.opening + "\nUNION ALL " + Self.number
        number = Self.number
        closing = Self.closing
        companion = Self.companion(columns.sorted { $0.key < $1.key }.map { "(\(Self.quoted($0.key)), \(Self.quoted($0.value)))" })
    }

    static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }

    // The statements name the schema of the server's tables, because a session may have others of the same names.

    // Blocks are counted separately: reads by TID or of a sample don't count as scans, but an INSERT reads blocks, too.
    //
    // The server expects most tables to be used. OFFSET 0 lets it look up the few that are, instead of joining all tables of the database.
    //
    // The server can't list the tables that have counters, so the statement requests the counters of each table and index of the database.
    // That is most of the work in a database with many tables, so there are as few calls as possible: rows are read by scans, or from
    // blocks. A scan of a table without blocks only counts itself.
    private static let counters = """
        SELECT c.id,
            sum(
                pg_stat_get_xact_numscans(c.used) + pg_stat_get_xact_tuples_returned(c.used) + pg_stat_get_xact_tuples_fetched(c.used)
            )::bigint AS scans,
            sum(pg_stat_get_xact_blocks_fetched(c.used))::bigint AS blocks
        FROM (
            SELECT k.oid AS used, coalesce((SELECT i.indrelid FROM pg_catalog.pg_index i WHERE i.indexrelid = k.oid), k.oid) AS id
            FROM pg_catalog.pg_class k
            WHERE k.oid >= 16384 AND k.relkind IN ('r', 'i', 'm') AND k.relnamespace <> 'pg_toast'::pg_catalog.regnamespace
                AND (pg_stat_get_xact_blocks_fetched(k.oid) > 0 OR pg_stat_get_xact_numscans(k.oid) > 0)
            OFFSET 0
        ) c
        GROUP BY 1
        """

    private static let opening = """
        SELECT id::text, scans::text, blocks::text FROM (
            \(counters)
        ) used
        """

    private static let number = "SELECT NULL, pg_current_xact_id()::text, NULL"

    // Ids below 16384 are those of the server's own tables.
    private static func companion(_ declared: [String]) -> String {
        let partitions = declared.isEmpty ? "(NULL::text, NULL::text)" : declared.joined(separator: ", ")
        return """
            WITH RECURSIVE held AS MATERIALIZED (
                SELECT l.relation AS id, bool_or(l.mode IN ('AccessShareLock', 'RowShareLock')) AS reads FROM pg_catalog.pg_locks l
                WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' AND l.relation >= 16384
                    AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())
                GROUP BY 1
            ), used AS MATERIALIZED (
                \(counters)
            ), either AS MATERIALIZED (
                SELECT coalesce(h.id, u.id) AS id, h.id IS NOT NULL AS held, coalesce(h.reads, false) AS reads,
                    coalesce(u.scans, 0) AS scans, coalesce(u.blocks, 0) AS blocks
                FROM held h FULL JOIN used u ON u.id = h.id
            ), up AS (
                SELECT e.id, e.id AS child, c.relkind AS kind, e.held, e.reads, e.scans, e.blocks
                FROM either e, LATERAL (SELECT k.* FROM pg_catalog.pg_class k WHERE k.oid = e.id OFFSET 0) c
                WHERE c.relpersistence <> 't' AND (c.relkind IN ('r', 'p', 'f', 'm') OR c.relkind = 'S' AND e.reads)
                UNION
                SELECT i.inhparent, up.child, up.kind, up.held, up.reads, up.scans, up.blocks
                FROM up JOIN pg_catalog.pg_inherits i ON i.inhrelid = up.id
            )
            SELECT t.name, up.child::text, up.reads, up.held AND NOT up.reads, up.scans::text, up.blocks::text,
                (
                    SELECT count(*) = 4 FROM pg_catalog.pg_trigger g
                    WHERE g.tgrelid = up.child AND g.tgenabled IN ('O', 'A')
                        AND g.tgname IN ('querykit_insert', 'querykit_update', 'querykit_delete', 'querykit_truncate')
                        AND g.tgfoid IN (
                            SELECT f.oid FROM pg_catalog.pg_proc f JOIN pg_catalog.pg_namespace s ON s.oid = f.pronamespace
                            WHERE s.nspname = 'querykit' AND f.proname = 'note_change'
                        )
                ) AND NOT EXISTS (
                    -- Logical replication fires no triggers of statements.
                    SELECT FROM pg_catalog.pg_subscription_rel r WHERE r.srrelid = up.child
                ) AS followed,
                (
                    SELECT CASE WHEN y.typtype = 'e' THEN '25' ELSE y.oid::text END
                    FROM (VALUES \(partitions)) p (name, col)
                    JOIN pg_catalog.pg_attribute a ON a.attrelid = up.id AND a.attname = p.col AND a.attnum > 0 AND NOT a.attisdropped
                    JOIN pg_catalog.pg_type y ON y.oid = a.atttypid
                    LEFT JOIN pg_catalog.pg_collation o ON o.oid = a.attcollation
                    WHERE p.name = t.name AND coalesce(o.collisdeterministic, true)
                ) AS type
            FROM up CROSS JOIN LATERAL (SELECT k.* FROM pg_catalog.pg_class k WHERE k.oid = up.id OFFSET 0) c
                JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace,
                LATERAL (SELECT CASE WHEN n.nspname = 'public' THEN '' ELSE n.nspname || '.' END || c.relname AS name) t
            WHERE n.nspname <> 'querykit' AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhrelid = up.id)
            """
    }

    // Reads no table: the transaction may have taken a role without rights, and a read could conflict with another transaction.
    private static let closing = """
        SELECT n.noted ->> 'xid', n.noted ->> 'id', CASE WHEN e.key ^@ 't' THEN substr(e.key, 2) END,
            n.noted ->> ('c' || substr(e.key, 2)), v.value
        FROM (SELECT nullif(current_setting('querykit.noted', true), '')::jsonb AS noted) n, jsonb_each(n.noted) e,
            LATERAL (
                SELECT p.value FROM jsonb_array_elements_text(CASE WHEN e.value = 'null' THEN '[null]' ELSE e.value END) p
                WHERE e.key ^@ 't'
                UNION ALL SELECT NULL WHERE e.key = '*'
            ) v
        WHERE n.noted ->> 'xid' = pg_current_xact_id_if_assigned()::text
        """
}
#endif
