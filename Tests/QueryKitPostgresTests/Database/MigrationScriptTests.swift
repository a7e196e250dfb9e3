#if Postgres
@testable import QueryKitPostgres
import Testing

struct MigrationScriptTests {
    @Test(
        arguments: [
            ("BEGIN; CREATE TABLE a (id int); COMMIT", "BEGIN"), ("CREATE TABLE a (id int); commit;", "COMMIT"),
            ("SELECT 1; -- why not\nEND", "END"), ("SELECT 1 /* ; /* ; */ */; Start Transaction", "START TRANSACTION"),
            ("SELECT 'it''s;'; ROLLBACK", "ROLLBACK"), ("SELECT E'\\';'; ABORT", "ABORT"), ("SELECT \"a;\"\"\"; COMMIT", "COMMIT"),
            ("SELECT $$;$$; COMMIT AND CHAIN", "COMMIT AND CHAIN"), ("PREPARE TRANSACTION 'x'", "PREPARE TRANSACTION"),
            ("CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 1 END; END; COMMIT", "COMMIT"),
        ]
    )
    func `statements that begin or end a transaction are found`(_ text: String, _ statement: String) {
        #expect(MigrationScript.transactionStatement(in: text) == statement)
    }

    @Test(
        arguments: [
            "", ";", "SELECT 'a; COMMIT'", "SELECT E'\\'; COMMIT'", "SELECT 1 -- ; COMMIT", "SELECT /* ; COMMIT */ 1",
            "SELECT \"; COMMIT\"",
            "DO $body$ BEGIN; COMMIT; $$; COMMIT; END $body$", "SELECT $1; SELECT 1",
            "SAVEPOINT a; ROLLBACK TO a; ROLLBACK WORK TO SAVEPOINT a",
            "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 1 END; END",
            "CREATE TABLE begin_end (id int); PREPARE a AS SELECT 1", "SELECT 'open", "SELECT $$ open", "/* open",
        ]
    )
    func `others are not taken for such`(_ text: String) {
        #expect(MigrationScript.transactionStatement(in: text) == nil)
    }
}
#endif
