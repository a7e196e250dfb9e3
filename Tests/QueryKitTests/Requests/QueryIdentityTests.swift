import Testing

@testable import QueryKit

struct QueryIdentityTests {
    private struct Entries: Hashable { let day: Int }

    private struct Totals: Hashable { let day: Int }

    private struct Colliding: Hashable {
        let day: Int

        func hash(into hasher: inout Hasher) {}
    }

    private class Base: Hashable, @unchecked Sendable {
        let day: Int

        init(_ day: Int) { self.day = day }

        static func == (left: Base, right: Base) -> Bool { left.day == right.day }

        func hash(into hasher: inout Hasher) { hasher.combine(day) }
    }

    private final class Derived: Base, @unchecked Sendable {}

    @Test func `equal requests have equal identities and hashes`() {
        #expect(QueryIdentity(Entries(day: 1)) == QueryIdentity(Entries(day: 1)))
        #expect(QueryIdentity(Entries(day: 1)).hashValue == QueryIdentity(Entries(day: 1)).hashValue)
        #expect(QueryIdentity(Entries(day: 1)) != QueryIdentity(Entries(day: 2)))
        #expect(Set((0..<10).map { QueryIdentity(Entries(day: $0 % 3)) }).count == 3)
    }

    @Test func `requests of two types are never equal, even with the same value`() {
        #expect(QueryIdentity(Entries(day: 1)) != QueryIdentity(Totals(day: 1)))
        #expect(QueryIdentity(1) != QueryIdentity(UInt8(1)))
        #expect(QueryIdentity(1) != QueryIdentity(Optional(1)))
        #expect(QueryIdentity(Entries(day: 1)).hash != QueryIdentity(Totals(day: 1)).hash)
        #expect(QueryIdentity(Entries(day: 1)).type != QueryIdentity(Totals(day: 1)).type)
    }

    @Test func `requests with colliding hashes are distinguished by their values`() {
        #expect(QueryIdentity(Colliding(day: 1)).hash == QueryIdentity(Colliding(day: 2)).hash)
        #expect(QueryIdentity(Colliding(day: 1)) != QueryIdentity(Colliding(day: 2)))
        #expect(QueryIdentity(Colliding(day: 1)) == QueryIdentity(Colliding(day: 1)))
    }

    @Test func `objects are compared by value, and never equal an object of a subclass`() {
        #expect(QueryIdentity(Base(1)) == QueryIdentity(Base(1)))
        #expect(QueryIdentity(Base(1)) != QueryIdentity(Base(2)))
        #expect(QueryIdentity(Derived(1)) == QueryIdentity(Derived(1)))
        #expect(QueryIdentity(Derived(1)) != QueryIdentity(Base(1)))
        // Even if both have the same static type, and so the same hash.
        let derived: Base = Derived(1)
        #expect(QueryIdentity(derived).hash == QueryIdentity(Base(1)).hash)
        #expect(QueryIdentity(derived) != QueryIdentity(Base(1)))
        #expect(QueryIdentity(Base(1)) != QueryIdentity(derived))
    }

    @Test func `a store's key recognizes its own request only`() {
        let identities = [
            QueryIdentity(1), QueryIdentity(2), QueryIdentity(1 as Int8), QueryIdentity("1"), QueryIdentity(Base(1)),
            QueryIdentity(Base(2)),
            QueryIdentity(Derived(1)), QueryIdentity(Derived(1) as Base), QueryIdentity(QueryIdentity(Base(1))),
        ]
        for identity in identities {
            let key = QueryIdentity.Key(identity)
            #expect(key.identity == identity)
            #expect(key.identity.hash == identity.hash)
            for other in identities { #expect(key.isKey(of: other) == (identity == other)) }
        }
    }

    @Test func `an identity has the type of its request`() {
        #expect(QueryIdentity(Entries(day: 1)).type == ObjectIdentifier(Entries.self))
    }
}
