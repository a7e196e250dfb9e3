#if !Postgres
/// A PostgreSQL database. It is available with the package trait `Postgres`.
///
/// The module is part of every build, so that a missing trait leads to this message and not to a missing module.
@available(
    *,
    unavailable,
    message:
        "Enable the package trait Postgres: .package(url: …, traits: [\"Postgres\"]) in Package.swift, or swift build --traits Postgres."
)
public final class PostgresDatabase: Sendable {}
#endif
