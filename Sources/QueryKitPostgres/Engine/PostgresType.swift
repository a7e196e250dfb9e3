#if Postgres
/// The types whose binary form this library knows, by their object identifier, which is the same in every database.
@usableFromInline
enum PostgresType {
    @usableFromInline static let bool: UInt32 = 16
    @usableFromInline static let bytea: UInt32 = 17
    @usableFromInline static let char: UInt32 = 18
    @usableFromInline static let name: UInt32 = 19
    @usableFromInline static let int8: UInt32 = 20
    @usableFromInline static let int2: UInt32 = 21
    @usableFromInline static let int4: UInt32 = 23
    @usableFromInline static let text: UInt32 = 25
    @usableFromInline static let oid: UInt32 = 26
    @usableFromInline static let json: UInt32 = 114
    @usableFromInline static let xml: UInt32 = 142
    @usableFromInline static let float4: UInt32 = 700
    @usableFromInline static let float8: UInt32 = 701
    @usableFromInline static let unknown: UInt32 = 705
    @usableFromInline static let bpchar: UInt32 = 1042
    @usableFromInline static let varchar: UInt32 = 1043
    @usableFromInline static let date: UInt32 = 1082
    @usableFromInline static let timestamp: UInt32 = 1114
    @usableFromInline static let timestamptz: UInt32 = 1184
    @usableFromInline static let numeric: UInt32 = 1700
    @usableFromInline static let uuid: UInt32 = 2950
    @usableFromInline static let jsonb: UInt32 = 3802

    /// The types whose binary form is their text.
    @inlinable
    static func isText(_ type: UInt32) -> Bool {
        switch type {
        case text, varchar, bpchar, name, json, xml, unknown, char: true
        default: false
        }
    }

    /// The name of a type for messages.
    static func name(of type: UInt32) -> String { names[type] ?? "the type with the oid \(type)" }

    /// Whether values of a type can be read without `::text`.
    static func isKnown(_ type: UInt32) -> Bool { known.contains(type) }

    private static let known: Set<UInt32> = [
        bool, bytea, char, name, int8, int2, int4, text, oid, json, xml, float4, float8, unknown, bpchar, varchar, date, timestamp,
        timestamptz, numeric, uuid, jsonb,
    ]

    private static let names: [UInt32: String] = [
        bool: "boolean", bytea: "bytea", char: "\"char\"", name: "name", int8: "bigint", int2: "smallint", int4: "integer", text: "text",
        oid: "oid", json: "json", xml: "xml", float4: "real", float8: "double precision", unknown: "unknown", bpchar: "char",
        varchar: "varchar", date: "date", timestamp: "timestamp", timestamptz: "timestamptz", numeric: "numeric", uuid: "uuid",
        jsonb: "jsonb", 27: "tid", 28: "xid", 29: "cid", 600: "point", 601: "lseg", 603: "box", 650: "cidr", 790: "money", 829: "macaddr",
        869: "inet", 1000: "boolean[]", 1005: "smallint[]", 1007: "integer[]", 1009: "text[]", 1016: "bigint[]", 1022: "double precision[]",
        1083: "time", 1186: "interval", 1266: "timetz", 1560: "bit", 1562: "varbit", 2205: "regclass", 2249: "record", 2278: "void",
        2951: "uuid[]", 3614: "tsvector", 3615: "tsquery", 3904: "int4range", 3908: "tsrange", 3910: "tstzrange", 3912: "daterange",
        3926: "int8range", 5069: "xid8", 5038: "pg_snapshot",
    ]
}
#endif
