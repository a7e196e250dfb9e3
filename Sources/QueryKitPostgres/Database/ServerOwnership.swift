#if Postgres
/// Refuses a schema `querykit` that another role could have prepared, and publications that include it.
///
/// The checks run in the transaction that creates objects in the schema, before any of its functions is called and any of its tables used.
/// A table can have a trigger, a rule or a policy, which would run with the rights of this role. After the checks, no other role can change
/// the schema, because none has a privilege on it that allows that.
enum ServerOwnership {
    private static let begin = """
        BEGIN ISOLATION LEVEL READ COMMITTED;
        SET LOCAL search_path = pg_catalog, pg_temp;
        """

    /// Begins the transaction, creates the schema if it doesn't exist, and checks it.
    ///
    /// A snapshot from before the lock could miss what another instance has created. Instances that start at once wait for one another, and
    /// on a busy server longer than for a table: the waiting one holds no locks.
    static let beginning = """
        \(begin)
        SET LOCAL lock_timeout = 60000;
        SELECT pg_advisory_xact_lock(8245, 0);
        SET LOCAL lock_timeout = 5000;
        DO $do$ BEGIN IF to_regnamespace('querykit') IS NULL THEN CREATE SCHEMA querykit; END IF; END $do$;
        \(raise(foreignParts))
        """

    /// Checks a schema that exists and its publications, in a transaction of its own. Creates nothing, so it waits for no other instance.
    static let check = """
        \(begin)
        \(raise(foreignParts))
        \(ending)
        """

    /// Checks the publications, now that the tables exist, and ends the transaction.
    static let ending = """
        \(raise(publications))
        COMMIT;
        """

    /// The error of a refusal; `nil` for another error.
    static func refusal(_ error: any Error) -> PostgresError? {
        guard let error = error as? PostgresError, error.sqlState == state else { return nil }
        return PostgresError(.misuse, error.message, hint: error.hint)
    }

    private static let state = "QKREF"

    /// A statement that fails if a query, which returns a problem and a hint, has a row.
    private static func raise(_ query: String) -> String {
        """
        DO $do$
        DECLARE
            problem text;
            hint text;
        BEGIN
            SELECT p.problem, p.hint INTO problem, hint FROM (\(query)) p (problem, hint) LIMIT 1;
            IF problem IS NOT NULL THEN RAISE EXCEPTION USING ERRCODE = '\(state)', MESSAGE = problem, HINT = hint; END IF;
        END
        $do$;
        """
    }

    private static let foreignParts = """
        WITH own AS (
            SELECT n.oid AS schema, r.oid AS role, n.nspowner, n.nspacl
            FROM pg_namespace n, pg_roles r WHERE n.nspname = 'querykit' AND r.rolname = current_user
        )
        SELECT format('The schema querykit can''t be used by the role %I: %s.', current_user, part), CASE
            WHEN is_privilege THEN 'Revoke it if you don''t know why it was granted.'
            ELSE 'Open the database as the role that has installed the schema, for example with options=-c%20role%3DNAME in the connection '
                || 'string. If it wasn''t installed by QueryKit, a role may have prepared it to get the rights of others: drop it. Or open '
                || 'the database without migrations and with isFollowed = false.' END
        FROM (
            SELECT format('it belongs to the role %s', nspowner::regrole), false FROM own WHERE nspowner <> role
            UNION ALL
            SELECT format('its relation %I belongs to the role %s', c.relname, c.relowner::regrole), false
            FROM own JOIN pg_class c ON c.relnamespace = schema WHERE c.relowner <> role
            UNION ALL
            SELECT format('its function %I belongs to the role %s', f.proname, f.proowner::regrole), false
            FROM own JOIN pg_proc f ON f.pronamespace = schema WHERE f.proowner <> role
            UNION ALL
            SELECT format('its type %I belongs to the role %s', t.typname, t.typowner::regrole), false
            FROM own JOIN pg_type t ON t.typnamespace = schema WHERE t.typowner <> role
            UNION ALL
            SELECT format('its operator %s belongs to the role %s', o.oprname, o.oprowner::regrole), false
            FROM own JOIN pg_operator o ON o.oprnamespace = schema WHERE o.oprowner <> role
            UNION ALL
            SELECT format('its table %I has the trigger %I', c.relname, g.tgname), false
            FROM own JOIN pg_class c ON c.relnamespace = schema JOIN pg_trigger g ON g.tgrelid = c.oid WHERE NOT g.tgisinternal
            UNION ALL
            SELECT format('its relation %I has the rule %I', c.relname, w.rulename), false
            FROM own JOIN pg_class c ON c.relnamespace = schema JOIN pg_rewrite w ON w.ev_class = c.oid
            UNION ALL
            SELECT format('its table %I has the policy %I', c.relname, y.polname), false
            FROM own JOIN pg_class c ON c.relnamespace = schema JOIN pg_policy y ON y.polrelid = c.oid
            UNION ALL
            SELECT 'it has default privileges', true FROM own JOIN pg_default_acl d ON d.defaclnamespace = schema
            UNION ALL
            SELECT format('the privilege CREATE on it was granted to %s',
                CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END), true
            FROM own, aclexplode(nspacl) a WHERE a.privilege_type = 'CREATE' AND a.grantee <> nspowner
            UNION ALL
            SELECT format('the privilege %s on its relation %I was granted to %s', a.privilege_type, c.relname,
                CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END), true
            FROM own JOIN pg_class c ON c.relnamespace = schema, aclexplode(c.relacl) a
            WHERE a.privilege_type NOT IN ('SELECT', 'USAGE') AND a.grantee <> c.relowner
        ) found (part, is_privilege)
        """

    private static let publications = """
        SELECT format('The publication %I includes the tables of the schema querykit, so its subscribers would stop.', p.pubname),
            'Replace it by a publication FOR TABLE, or FOR TABLES IN SCHEMA with the schemas of your own tables. Or open the database '
                || 'without migrations and with isFollowed = false.'
        FROM pg_publication_tables p WHERE p.schemaname = 'querykit' ORDER BY p.pubname
        """
}
#endif
