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

    // The counters include blocks that were read, because a scan of chosen rows and one of a sample count no scan.
    private static let counters = """
        sum(
            pg_stat_get_xact_numscans(c.oid) + pg_stat_get_xact_tuples_returned(c.oid) + pg_stat_get_xact_tuples_fetched(c.oid)
                + pg_stat_get_xact_blocks_fetched(c.oid)
        )::bigint
        """

    private static let opening = """
        SELECT id::text, uses::text FROM (
            SELECT coalesce(i.indrelid, c.oid) AS id, \(counters) AS uses
            FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid
            WHERE c.oid >= 16384 AND c.relkind IN ('r', 'i', 'm')
            GROUP BY 1
        ) used WHERE uses > 0
        """

    private static let number = "SELECT NULL, pg_current_xact_id()::text"

    // Ids below 16384 are those of the server's own tables.
    private static func companion(_ declared: [String]) -> String {
        let partitions = declared.isEmpty ? "(NULL::text, NULL::text)" : declared.joined(separator: ", ")
        return """
            WITH RECURSIVE held AS MATERIALIZED (
                SELECT DISTINCT l.relation AS id FROM pg_locks l
                WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' AND l.relation >= 16384
                    AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
            ), used AS MATERIALIZED (
                SELECT coalesce(i.indrelid, c.oid) AS id, \(counters) AS uses
                FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid
                WHERE c.oid >= 16384 AND c.relkind IN ('r', 'i', 'm')
                GROUP BY 1
            ), up AS (
                SELECT c.oid AS id, c.oid AS child, h.id IS NOT NULL AS held, c.relkind = 'p' AS parted, coalesce(u.uses, 0) AS uses
                FROM pg_class c LEFT JOIN held h ON h.id = c.oid LEFT JOIN used u ON u.id = c.oid
                WHERE c.oid >= 16384 AND c.relkind IN ('r', 'p', 'f', 'm') AND c.relpersistence <> 't' AND (h.id IS NOT NULL OR u.uses > 0)
                UNION
                SELECT i.inhparent, up.child, up.held, up.parted, up.uses FROM up JOIN pg_inherits i ON i.inhrelid = up.id
            )
            SELECT t.name, up.child::text, up.held, up.parted, up.uses::text,
                (
                    SELECT count(*) = 4 FROM pg_trigger g
                    WHERE g.tgrelid = up.child AND g.tgenabled IN ('O', 'A')
                        AND g.tgname IN ('querykit_insert', 'querykit_update', 'querykit_delete', 'querykit_truncate')
                ) AS followed,
                (
                    SELECT CASE WHEN y.typtype = 'e' THEN '25' ELSE y.oid::text END
                    FROM (VALUES \(partitions)) p (name, col)
                    JOIN pg_attribute a ON a.attrelid = up.id AND a.attname = p.col AND a.attnum > 0 AND NOT a.attisdropped
                    JOIN pg_type y ON y.oid = a.atttypid
                    LEFT JOIN pg_collation o ON o.oid = a.attcollation
                    WHERE p.name = t.name AND coalesce(o.collisdeterministic, true)
                ) AS type
            FROM up JOIN pg_class c ON c.oid = up.id JOIN pg_namespace n ON n.oid = c.relnamespace,
                LATERAL (SELECT CASE WHEN n.nspname = 'public' THEN '' ELSE n.nspname || '.' END || c.relname AS name) t
            WHERE n.nspname <> 'querykit' AND NOT EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = up.id)
            """
    }

    private static let closing = """
        SELECT pg_current_xact_id_if_assigned()::text, c.id::text, c.name, c.col, c.value
        FROM querykit.changes c WHERE c.xid = pg_current_xact_id_if_assigned() ORDER BY c.id
        """
}
#endif
