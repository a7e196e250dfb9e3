#if Postgres
/// What the library installs on a server, in the schema `querykit`: a log of changes, and the triggers that write it.
///
/// The triggers run with the rights of the role that installed them, so that every role that may write to a table can. They execute no text
/// from outside: names come from the catalog, and are quoted. `PUBLIC` gets no rights on the schema. Names instead of numbers are stored,
/// so that a dump and its restoration keep their meaning.
enum ServerScript {
    /// The number of this version. A script with a higher number replaces one with a lower number.
    static let version = 1

    /// All statements, for one transaction. Executing them again changes nothing.
    static var text: String { log + "\n" + following }

    /// The log of changes, and the functions that write to it.
    private static let log = """
        CREATE SCHEMA IF NOT EXISTS querykit;
        CREATE TABLE IF NOT EXISTS querykit.settings (
            single boolean PRIMARY KEY DEFAULT true CHECK (single),
            version integer NOT NULL,
            trimmed xid8 NOT NULL DEFAULT '0',
            system text NOT NULL
        );
        CREATE TABLE IF NOT EXISTS querykit.partitions (name text PRIMARY KEY, col text NOT NULL);
        CREATE TABLE IF NOT EXISTS querykit.changes (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            xid xid8 NOT NULL,
            name text,
            col text,
            value text,
            at timestamptz NOT NULL DEFAULT clock_timestamp()
        );
        CREATE INDEX IF NOT EXISTS changes_xid ON querykit.changes (xid);

        CREATE OR REPLACE FUNCTION querykit.system() RETURNS text
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            SELECT s.system_identifier || '/' || c.timeline_id FROM pg_control_system() s, pg_control_checkpoint() c
        $body$;

        CREATE OR REPLACE FUNCTION querykit.roots(relation oid) RETURNS text[]
        LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $body$
            WITH RECURSIVE up AS (
                SELECT relation AS id
                UNION
                SELECT i.inhparent FROM up JOIN pg_inherits i ON i.inhrelid = up.id
            )
            SELECT array_agg(CASE WHEN n.nspname = 'public' THEN '' ELSE n.nspname || '.' END || c.relname ORDER BY c.oid)
            FROM up JOIN pg_class c ON c.oid = up.id JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE NOT EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = up.id)
        $body$;

        CREATE OR REPLACE FUNCTION querykit.enter(names text[], partition_column text, partitions text[]) RETURNS void
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
        BEGIN
            INSERT INTO querykit.changes (xid, name, col, value)
            SELECT DISTINCT pg_current_xact_id(), n, CASE WHEN p IS NOT NULL THEN partition_column END, p
            FROM unnest(names) n, unnest(partitions) p
            WHERE NOT EXISTS (
                SELECT FROM querykit.changes c
                WHERE c.xid = pg_current_xact_id() AND c.name IS NOT DISTINCT FROM n
                    AND (c.value IS NULL OR c.value = p AND c.col = partition_column)
            );
            IF FOUND AND current_setting('querykit.notify', true) IS DISTINCT FROM 'off' THEN PERFORM pg_notify('querykit', ''); END IF;
        END
        $body$;

        CREATE OR REPLACE FUNCTION querykit.note_change() RETURNS trigger
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO, YMD' AS $body$
        DECLARE
            parts text[];
        BEGIN
            IF TG_OP <> 'TRUNCATE' THEN
                IF TG_OP = 'UPDATE' THEN
                    IF NOT EXISTS (SELECT FROM querykit_new) THEN RETURN NULL; END IF;
                ELSIF NOT EXISTS (SELECT FROM querykit_rows) THEN
                    RETURN NULL;
                END IF;
                -- A column that was renamed or dropped, and one whose text could differ from that of a request, counts as no partition.
                PERFORM FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
                WHERE a.attrelid = TG_RELID AND a.attname = TG_ARGV[0] AND a.attnum > 0 AND NOT a.attisdropped
                    AND (a.atttypid IN (16, 20, 21, 23, 25, 1043, 1082, 2950) OR t.typtype = 'e');
                IF FOUND THEN
                    EXECUTE CASE WHEN TG_OP = 'UPDATE' THEN
                        format(
                            'SELECT array_agg(v) FROM (
                                SELECT %1$I::text v FROM querykit_new UNION SELECT %1$I::text FROM querykit_old LIMIT 65
                            ) s',
                            TG_ARGV[0]
                        )
                    ELSE
                        format(
                            'SELECT array_agg(v) FROM (SELECT DISTINCT %1$I::text v FROM querykit_rows LIMIT 65) s',
                            TG_ARGV[0]
                        )
                    END INTO parts;
                    IF cardinality(parts) > 64 OR array_position(parts, NULL) IS NOT NULL THEN parts := NULL; END IF;
                END IF;
            END IF;
            -- The names at the time of the change, and those at the time of the installation: a view keeps reading a renamed table.
            PERFORM querykit.enter(querykit.roots(TG_RELID) || TG_ARGV[1:], TG_ARGV[0], coalesce(parts, ARRAY[NULL::text]));
            RETURN NULL;
        END
        $body$;
        """

    /// The triggers: their function is installed on each table with the names of the table's roots.
    private static let following = """
        CREATE OR REPLACE FUNCTION querykit.follow(relation oid) RETURNS boolean
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE
            names text[] := querykit.roots(relation);
            partition_column text := (SELECT p.col FROM querykit.partitions p WHERE p.name = ANY (names) ORDER BY p.name LIMIT 1);
            arguments text := (
                SELECT string_agg(quote_literal(a), ', ' ORDER BY i)
                FROM unnest(coalesce(partition_column, '') || names) WITH ORDINALITY u(a, i)
            );
            expected bytea := (
                SELECT string_agg(convert_to(a, getdatabaseencoding()) || '\\x00'::bytea, ''::bytea ORDER BY i)
                FROM unnest(coalesce(partition_column, '') || names) WITH ORDINALITY u(a, i)
            );
            event text;
            isOwner boolean := (SELECT pg_has_role(c.relowner, 'USAGE') FROM pg_class c WHERE c.oid = relation);
        BEGIN
            IF 4 = (
                SELECT count(*) FROM pg_trigger t
                WHERE t.tgrelid = relation AND t.tgname IN ('querykit_insert', 'querykit_update', 'querykit_delete', 'querykit_truncate')
                    AND t.tgfoid = 'querykit.note_change'::regproc AND t.tgenabled IN ('O', 'A') AND t.tgargs = expected
            ) THEN RETURN true; END IF;
            IF NOT has_table_privilege(relation, 'TRIGGER') THEN RETURN false; END IF;
            FOREACH event IN ARRAY ARRAY['insert', 'update', 'delete', 'truncate'] LOOP
                EXECUTE format(
                    'CREATE OR REPLACE TRIGGER %I AFTER %s ON %s %s FOR EACH STATEMENT EXECUTE FUNCTION querykit.note_change(%s)',
                    'querykit_' || event, event, relation::regclass,
                    CASE event
                    WHEN 'insert' THEN 'REFERENCING NEW TABLE AS querykit_rows'
                    WHEN 'update' THEN 'REFERENCING OLD TABLE AS querykit_old NEW TABLE AS querykit_new'
                    WHEN 'delete' THEN 'REFERENCING OLD TABLE AS querykit_rows'
                    ELSE '' END,
                    arguments
                );
                -- Also fires under session_replication_role = replica.
                IF isOwner THEN EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', relation::regclass, 'querykit_' || event); END IF;
            END LOOP;
            -- Earlier writes were not reported.
            PERFORM querykit.enter(names, NULL, ARRAY[NULL::text]);
            RETURN true;
        END
        $body$;

        CREATE OR REPLACE FUNCTION querykit.follow_all() RETURNS text[]
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE
            relation oid;
            missing text[] := '{}';
        BEGIN
            PERFORM set_config('querykit.installing', 'on', true);
            FOR relation IN
                SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't' AND n.nspname !~ '^pg_'
                    AND n.nspname NOT IN ('information_schema', 'querykit')
                ORDER BY c.oid
            LOOP
                IF NOT querykit.follow(relation) THEN missing := missing || relation::regclass::text; END IF;
            END LOOP;
            PERFORM set_config('querykit.installing', '', true);
            RETURN missing;
        END
        $body$;

        CREATE OR REPLACE FUNCTION querykit.note_definition() RETURNS event_trigger
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE
            command record;
            changed boolean := false;
        BEGIN
            IF current_setting('querykit.installing', true) = 'on' THEN RETURN; END IF;
            IF TG_EVENT = 'sql_drop' THEN
                changed := EXISTS (
                    SELECT FROM pg_event_trigger_dropped_objects() d
                    WHERE NOT d.is_temporary AND d.object_type NOT IN ('index', 'trigger', 'sequence')
                        AND d.schema_name IS DISTINCT FROM 'querykit'
                );
            ELSE
                FOR command IN SELECT * FROM pg_event_trigger_ddl_commands() LOOP
                    CONTINUE WHEN command.schema_name IN ('pg_temp', 'querykit') OR command.object_identity = 'querykit'
                        OR command.command_tag IN ('CREATE INDEX', 'CREATE SEQUENCE', 'ALTER SEQUENCE', 'COMMENT', 'GRANT', 'REVOKE');
                    changed := true;
                    IF command.object_type IN ('table', 'table column') AND EXISTS (
                        SELECT FROM pg_class c WHERE c.oid = command.objid AND c.relkind IN ('r', 'p') AND c.relpersistence <> 't'
                    ) THEN
                        PERFORM set_config('querykit.installing', 'on', true);
                        PERFORM querykit.follow(i.id) FROM (
                            WITH RECURSIVE down AS (
                                SELECT command.objid AS id UNION SELECT h.inhrelid FROM down JOIN pg_inherits h ON h.inhparent = down.id
                            )
                            SELECT down.id FROM down JOIN pg_class c ON c.oid = down.id AND c.relkind IN ('r', 'p')
                        ) i;
                        PERFORM set_config('querykit.installing', '', true);
                    END IF;
                END LOOP;
            END IF;
            IF changed THEN PERFORM querykit.enter(ARRAY[NULL::text], NULL, ARRAY[NULL::text]); END IF;
        END
        $body$;

        -- A restored database has numbers of transactions that mean nothing on this server.
        CREATE OR REPLACE FUNCTION querykit.check_system() RETURNS void
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
        BEGIN
            IF EXISTS (SELECT FROM querykit.settings s WHERE split_part(s.system, '/', 1) <> split_part(querykit.system(), '/', 1)) THEN
                DELETE FROM querykit.changes;
                UPDATE querykit.settings SET trimmed = '0', system = querykit.system();
            END IF;
        END
        $body$;

        CREATE OR REPLACE FUNCTION querykit.trim(age interval, count bigint) RETURNS void
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE
            last xid8;
            finished xid8 := pg_snapshot_xmin(pg_current_snapshot());
        BEGIN
            IF NOT pg_try_advisory_xact_lock(8245, 1) THEN RETURN; END IF;
            WITH gone AS (
                DELETE FROM querykit.changes c
                WHERE c.xid < finished AND (c.at < clock_timestamp() - age
                    OR c.id <= (SELECT k.id FROM querykit.changes k ORDER BY k.id DESC OFFSET count LIMIT 1))
                RETURNING c.xid
            )
            SELECT gone.xid INTO last FROM gone ORDER BY gone.xid DESC LIMIT 1;
            IF last IS NULL THEN RETURN; END IF;
            UPDATE querykit.settings SET trimmed = (last::text::numeric + 1)::text::xid8
            WHERE trimmed <= last;
        END
        $body$;
        DO $do$
        BEGIN
            IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
                DROP EVENT TRIGGER IF EXISTS querykit_definition;
                DROP EVENT TRIGGER IF EXISTS querykit_drop;
                CREATE EVENT TRIGGER querykit_definition ON ddl_command_end EXECUTE FUNCTION querykit.note_definition();
                CREATE EVENT TRIGGER querykit_drop ON sql_drop EXECUTE FUNCTION querykit.note_definition();
                ALTER EVENT TRIGGER querykit_definition ENABLE ALWAYS;
                ALTER EVENT TRIGGER querykit_drop ENABLE ALWAYS;
            END IF;
        END
        $do$;
        INSERT INTO querykit.settings (version, system) VALUES (\(version), querykit.system())
        ON CONFLICT (single) DO UPDATE SET version = excluded.version;
        """
}
#endif
