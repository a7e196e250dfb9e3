#if Postgres
/// What the library installs on a server, in the schema `querykit`: a log of changes, and the triggers that write it.
///
/// The triggers run with the rights of the role that installed them, so that they work for every role that may write to a table. They
/// execute no text from outside: names come from the catalog, and are quoted. `PUBLIC` gets no rights on the schema. Names instead of
/// numbers are stored, so that a dump and its restoration keep their meaning.
enum ServerScript {
    /// The number of this version. A script with a higher number replaces one with a lower number.
    static let version = 2

    /// All statements, for one transaction. Executing them again changes nothing.
    static var text: String { log + "\n" + following }

    /// The log of changes, and the functions that write to it.
    private static let log = """
        CREATE SCHEMA IF NOT EXISTS querykit;
        CREATE TABLE IF NOT EXISTS querykit.settings (
            single boolean PRIMARY KEY DEFAULT true CHECK (single),
            version integer NOT NULL,
            trimmed xid8 NOT NULL DEFAULT '0',
            system text NOT NULL,
            definitions text
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

        -- Not in the language sql, which would plan the query at each call.
        CREATE OR REPLACE FUNCTION querykit.roots(relation oid) RETURNS text[]
        LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $body$
        BEGIN
            RETURN (
                WITH RECURSIVE up AS (
                    SELECT relation AS id
                    UNION
                    SELECT i.inhparent FROM up JOIN pg_inherits i ON i.inhrelid = up.id
                )
                SELECT array_agg(CASE WHEN n.nspname = 'public' THEN '' ELSE n.nspname || '.' END || c.relname ORDER BY c.oid)
                FROM up JOIN pg_class c ON c.oid = up.id JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE NOT EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = up.id)
            );
        END
        $body$;

        -- What the transaction has entered, in a setting that a rollback to a savepoint takes back: `xid`, the last row `id`, for each
        -- table with a `t` before its name (`*` for everything) its partitions, or null for the whole table, with a `c` before its name the
        -- column of the partitions, and with an `r` before its number each relation that needs no look any more.
        CREATE OR REPLACE FUNCTION querykit.noted() RETURNS jsonb
        LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE
            noted jsonb := nullif(current_setting('querykit.noted', true), '')::jsonb;
        BEGIN
            IF noted ->> 'xid' = pg_current_xact_id()::text THEN RETURN noted; END IF;
            RETURN jsonb_build_object('xid', pg_current_xact_id()::text);
        END
        $body$;

        -- Reads no table, so that it causes no conflicts between serializable transactions.
        CREATE OR REPLACE FUNCTION querykit.enter(names text[], partition_column text, partitions text[], relation oid DEFAULT NULL)
        RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE
            noted jsonb := querykit.noted();
            n text;
            p text;
            key text;
            row_id bigint;
            is_fresh boolean := false;
            is_whole boolean := false;
        BEGIN
            FOREACH n IN ARRAY names LOOP
                IF getdatabaseencoding() <> 'UTF8' AND n COLLATE "C" ~ '[^ -~]' THEN n := NULL; END IF;
                key := coalesce('t' || n, '*');
                FOREACH p IN ARRAY partitions LOOP
                    IF p IS NOT NULL AND noted -> key ? p AND noted ->> ('c' || n) = partition_column THEN CONTINUE; END IF;
                    IF jsonb_array_length(CASE WHEN noted -> key <> 'null' THEN noted -> key ELSE '[]' END) >= 64
                        OR noted ->> ('c' || n) <> partition_column OR n IS NULL THEN p := NULL; END IF;
                    is_whole := is_whole OR p IS NULL;
                    CONTINUE WHEN noted -> key = 'null';
                    INSERT INTO querykit.changes (xid, name, col, value)
                    VALUES (pg_current_xact_id(), n, CASE WHEN p IS NOT NULL THEN partition_column END, p)
                    RETURNING id INTO row_id;
                    is_fresh := true;
                    noted := noted || jsonb_build_object('id', row_id::text) || CASE
                        WHEN p IS NULL THEN jsonb_build_object(key, NULL)
                        ELSE jsonb_build_object(key, coalesce(noted -> key, '[]') || to_jsonb(p), 'c' || n, partition_column) END;
                END LOOP;
            END LOOP;
            IF is_whole AND relation IS NOT NULL THEN noted := noted || jsonb_build_object('r' || relation, true); END IF;
            IF is_fresh OR is_whole THEN PERFORM set_config('querykit.noted', noted::text, true); END IF;
            IF is_fresh AND current_setting('querykit.notify', true) IS DISTINCT FROM 'off' THEN PERFORM pg_notify('querykit', ''); END IF;
            -- Also where no instance runs that could do it. In a stricter isolation it could fail.
            IF row_id % 1000 = 0 AND current_setting('transaction_isolation') IN ('read committed', 'read uncommitted') THEN
                PERFORM querykit.trim('1 hour', 100000, 10000);
            END IF;
        END
        $body$;

        -- The arguments: whether there are tables of the changed rows, the column of the partitions, and the names of the roots.
        CREATE OR REPLACE FUNCTION querykit.note_change() RETURNS trigger
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO, YMD' AS $body$
        DECLARE
            parts text[];
            is_enum boolean;
            text_of_column text;
        BEGIN
            IF TG_OP <> 'TRUNCATE' AND TG_ARGV[0] = 'rows' THEN
                IF TG_OP = 'UPDATE' THEN
                    IF NOT EXISTS (SELECT FROM querykit_new) THEN RETURN NULL; END IF;
                ELSIF NOT EXISTS (SELECT FROM querykit_rows) THEN
                    RETURN NULL;
                END IF;
            END IF;
            IF querykit.noted() ? ('r' || TG_RELID) THEN RETURN NULL; END IF;
            IF TG_OP <> 'TRUNCATE' AND TG_ARGV[0] = 'rows' THEN
                -- A column that was renamed or dropped, and one whose text could differ from that of a request, counts as no partition.
                SELECT t.typtype = 'e' INTO is_enum FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
                WHERE a.attrelid = TG_RELID AND a.attname = TG_ARGV[1] AND a.attnum > 0 AND NOT a.attisdropped
                    AND (a.atttypid IN (16, 20, 21, 23, 25, 1043, 1082, 2950) OR t.typtype = 'e');
                IF FOUND THEN
                    -- A cast from an enum may be a function of another role, which must not run with the rights of this one.
                    text_of_column := format(CASE WHEN is_enum THEN 'format(''%%s'', %I)' ELSE '%I::text' END, TG_ARGV[1]);
                    -- A long value would fill the log. Where texts may have bytes of any encoding, others than ASCII may be unreadable.
                    EXECUTE format(
                        'SELECT array_agg(CASE WHEN octet_length(s.v) <= 1024 AND (%3$L OR s.v COLLATE "C" !~ ''[^ -~]'') THEN s.v END) FROM ('
                        || CASE WHEN TG_OP = 'UPDATE' THEN '
                                SELECT CASE WHEN %2$I IS NOT NULL THEN %1$s END v FROM querykit_new
                                UNION SELECT CASE WHEN %2$I IS NOT NULL THEN %1$s END FROM querykit_old LIMIT 65
                            ) s'
                        ELSE '
                                SELECT DISTINCT CASE WHEN %2$I IS NOT NULL THEN %1$s END v FROM querykit_rows LIMIT 65
                            ) s'
                        END,
                        text_of_column, TG_ARGV[1], getdatabaseencoding() = 'UTF8'
                    ) INTO parts;
                    IF cardinality(parts) > 64 OR array_position(parts, NULL) IS NOT NULL THEN parts := NULL; END IF;
                END IF;
            END IF;
            -- The names at the time of the change, and those at the time of the installation: a view keeps reading a renamed table.
            PERFORM querykit.enter(
                ARRAY(SELECT DISTINCT unnest(querykit.roots(TG_RELID) || TG_ARGV[2:])), TG_ARGV[1],
                coalesce(parts, ARRAY[NULL::text]), TG_RELID
            );
            RETURN NULL;
        END
        $body$;
        """

    /// The triggers: their function is installed on each table with the names of the table's roots.
    private static let following = """
        -- Installs the triggers of a table if they are missing. Returns whether they are there.
        CREATE OR REPLACE FUNCTION querykit.follow(relation oid, only_look boolean DEFAULT false) RETURNS boolean
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE
            names text[] := querykit.roots(relation);
            partition_column text := (SELECT p.col FROM querykit.partitions p WHERE p.name = ANY (names) ORDER BY p.name LIMIT 1);
            -- The rows of foreign tables can't be collected.
            has_rows boolean := NOT EXISTS (
                WITH RECURSIVE down AS (
                    SELECT relation AS id UNION SELECT i.inhrelid FROM down JOIN pg_inherits i ON i.inhparent = down.id
                )
                SELECT FROM down JOIN pg_class c ON c.oid = down.id WHERE c.relkind = 'f'
            );
            arguments text[] := ARRAY[CASE WHEN has_rows THEN 'rows' ELSE 'table' END, coalesce(partition_column, '')] || names;
            expected bytea := (
                SELECT string_agg(convert_to(a, getdatabaseencoding()) || '\\x00'::bytea, ''::bytea ORDER BY i)
                FROM unnest(arguments) WITH ORDINALITY u(a, i)
            );
            event text;
            is_owner boolean := (SELECT pg_has_role(c.relowner, 'USAGE') FROM pg_class c WHERE c.oid = relation);
            existing bigint;
            right_ones bigint;
        BEGIN
            SELECT count(*), count(*) FILTER (
                WHERE t.tgfoid = 'querykit.note_change'::regproc AND (t.tgenabled = 'A' OR t.tgenabled = 'O' AND NOT is_owner)
                    AND t.tgargs = expected
            ) INTO existing, right_ones FROM pg_trigger t
            WHERE t.tgrelid = relation AND t.tgname IN ('querykit_insert', 'querykit_update', 'querykit_delete', 'querykit_truncate');
            IF right_ones = 4 THEN RETURN true; END IF;
            IF only_look OR NOT has_table_privilege(relation, 'TRIGGER') THEN RETURN false; END IF;
            PERFORM set_config('querykit.installing', 'on', true);
            FOREACH event IN ARRAY ARRAY['insert', 'update', 'delete', 'truncate'] LOOP
                EXECUTE format(
                    'CREATE OR REPLACE TRIGGER %I AFTER %s ON %s %s FOR EACH STATEMENT EXECUTE FUNCTION querykit.note_change(%s)',
                    'querykit_' || event, event, relation::regclass,
                    CASE WHEN has_rows THEN
                        CASE event
                        WHEN 'insert' THEN 'REFERENCING NEW TABLE AS querykit_rows'
                        WHEN 'update' THEN 'REFERENCING OLD TABLE AS querykit_old NEW TABLE AS querykit_new'
                        WHEN 'delete' THEN 'REFERENCING OLD TABLE AS querykit_rows'
                        END
                    END,
                    (SELECT string_agg(quote_literal(a), ', ' ORDER BY i) FROM unnest(arguments) WITH ORDINALITY u(a, i))
                );
                -- Also fires under session_replication_role = replica.
                IF is_owner THEN
                    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', relation::regclass, 'querykit_' || event);
                END IF;
            END LOOP;
            PERFORM set_config('querykit.installing', '', true);
            -- Earlier writes were not reported. Under another name, or while the triggers were off, they may concern every reader.
            PERFORM querykit.enter(CASE WHEN existing > 0 THEN ARRAY[NULL::text] ELSE names END, NULL, ARRAY[NULL::text]);
            RETURN true;
        END
        $body$;

        -- The tables whose triggers are missing, as numbers and names.
        CREATE OR REPLACE FUNCTION querykit.missing(OUT relation oid, OUT name text) RETURNS SETOF record
        LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $body$
            SELECT c.oid, CASE WHEN n.nspname = 'public' THEN '' ELSE n.nspname || '.' END || c.relname
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't' AND n.nspname !~ '^pg_'
                AND n.nspname NOT IN ('information_schema', 'querykit') AND NOT querykit.follow(c.oid, true)
            ORDER BY c.oid
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
                    IF command.command_tag = 'REFRESH MATERIALIZED VIEW' THEN
                        PERFORM querykit.enter(querykit.roots(command.objid), NULL, ARRAY[NULL::text]);
                        CONTINUE;
                    END IF;
                    changed := true;
                    CONTINUE WHEN command.object_type NOT IN ('table', 'table column', 'foreign table');
                    -- The command must not fail because a table can't have triggers, or not now. Instances try again.
                    BEGIN
                        PERFORM querykit.follow(i.id) FROM (
                            WITH RECURSIVE down AS (
                                SELECT command.objid AS id UNION SELECT h.inhrelid FROM down JOIN pg_inherits h ON h.inhparent = down.id
                            ), up AS (
                                SELECT command.objid AS id UNION SELECT h.inhparent FROM up JOIN pg_inherits h ON h.inhrelid = up.id
                            )
                            SELECT a.id FROM (SELECT id FROM down UNION SELECT id FROM up) a
                            JOIN pg_class c ON c.oid = a.id AND c.relkind IN ('r', 'p') AND c.relpersistence <> 't'
                        ) i;
                    EXCEPTION WHEN OTHERS THEN
                        NULL;
                    END;
                END LOOP;
            END IF;
            IF changed THEN PERFORM querykit.enter(ARRAY[NULL::text], NULL, ARRAY[NULL::text]); END IF;
        END
        $body$;

        -- Where event triggers aren't allowed, compares the definitions with those of the previous call.
        CREATE OR REPLACE FUNCTION querykit.check_definitions() RETURNS void
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE
            current text;
            previous text := (SELECT s.definitions FROM querykit.settings s);
        BEGIN
            IF EXISTS (
                SELECT FROM pg_event_trigger t WHERE t.evtfoid = 'querykit.note_definition'::regproc AND t.evtenabled <> 'D'
            ) THEN
                RETURN;
            END IF;
            WITH own AS (
                SELECT n.oid FROM pg_namespace n WHERE n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'querykit')
            ), relations AS (
                SELECT c.*, c.oid AS id FROM pg_class c
                WHERE c.relnamespace IN (SELECT own.oid FROM own) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relpersistence <> 't'
            ), parts AS (
                SELECT concat_ws(' ', 'c', r.id, r.relnamespace, r.relname, r.relrowsecurity, r.relforcerowsecurity) AS part FROM relations r
                UNION ALL
                SELECT concat_ws(' ', 'a', a.attrelid, a.attnum, a.attname, a.atttypid, a.attisdropped)
                FROM pg_attribute a WHERE a.attnum > 0 AND a.attrelid IN (SELECT r.id FROM relations r)
                UNION ALL
                SELECT concat_ws(' ', 'r', w.oid, w.xmin) FROM pg_rewrite w WHERE w.ev_class IN (SELECT r.id FROM relations r)
                UNION ALL
                SELECT concat_ws(' ', 'p', p.oid, p.xmin) FROM pg_policy p
                UNION ALL
                SELECT concat_ws(' ', 'f', f.oid, f.xmin) FROM pg_proc f WHERE f.pronamespace IN (SELECT own.oid FROM own)
                UNION ALL
                SELECT concat_ws(' ', 'i', i.inhrelid, i.inhparent) FROM pg_inherits i WHERE i.inhrelid IN (SELECT r.id FROM relations r)
            )
            SELECT md5(string_agg(parts.part, ',' ORDER BY parts.part)) INTO current FROM parts;
            IF current IS NOT DISTINCT FROM previous THEN RETURN; END IF;
            UPDATE querykit.settings SET definitions = current;
            IF previous IS NOT NULL THEN PERFORM querykit.enter(ARRAY[NULL::text], NULL, ARRAY[NULL::text]); END IF;
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

        CREATE OR REPLACE FUNCTION querykit.trim(age interval, count bigint, most bigint DEFAULT NULL) RETURNS void
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE
            last xid8;
            finished xid8 := pg_snapshot_xmin(pg_current_snapshot());
        BEGIN
            IF NOT pg_try_advisory_xact_lock(8245, 1) THEN RETURN; END IF;
            WITH gone AS (
                DELETE FROM querykit.changes c WHERE c.id IN (
                    SELECT o.id FROM querykit.changes o
                    WHERE o.xid < finished AND (o.at < clock_timestamp() - age
                        OR o.id <= (SELECT k.id FROM querykit.changes k ORDER BY k.id DESC OFFSET count LIMIT 1))
                    ORDER BY o.id LIMIT most
                )
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
            DROP EVENT TRIGGER IF EXISTS querykit_definition;
            DROP EVENT TRIGGER IF EXISTS querykit_drop;
            CREATE EVENT TRIGGER querykit_definition ON ddl_command_end EXECUTE FUNCTION querykit.note_definition();
            CREATE EVENT TRIGGER querykit_drop ON sql_drop EXECUTE FUNCTION querykit.note_definition();
            ALTER EVENT TRIGGER querykit_definition ENABLE ALWAYS;
            ALTER EVENT TRIGGER querykit_drop ENABLE ALWAYS;
        EXCEPTION WHEN insufficient_privilege THEN
            -- The server lets only a superuser create them.
            NULL;
        END
        $do$;
        -- Triggers need no such right. A role that could create triggers with these functions could run its own text with the owner's rights.
        REVOKE ALL ON ALL FUNCTIONS IN SCHEMA querykit FROM PUBLIC;
        INSERT INTO querykit.settings (version, system) VALUES (\(version), querykit.system())
        ON CONFLICT (single) DO UPDATE SET version = excluded.version;
        """
}
#endif
