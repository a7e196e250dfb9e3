import TestSupport
import Testing

@testable import QueryKit

struct Crate<Item> {
    struct Lid<Color> {}
}

extension Food.List {
    struct Row: QueryRequest {
        func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { 1 }
    }
}

private struct Hidden: Hashable, Sendable {
    struct Part: QueryRequest {
        func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { 1 }
    }
}

struct TypeNameTests {
    private struct Inner {}

    @Test func `R36 the default path begins with the name of the type inside its module`() {
        #expect(Food.List().path.unredacted == "Food.List/List()")
        #expect(Trips.List().path.unredacted == "Trips.List/List()")
        #expect(Hidden.Part().path.unredacted == "Hidden.Part/Part()")
        #expect(Food.List.Row().path.unredacted == "Food.List.Row/Row()")
        #expect(QueryPattern("Trips.List/**").matches(Trips.List().path))
    }

    @Test func `R36 a name inside the module has no module in its generic arguments either, and no address`() {
        struct Local {}
        for (type, name) in [
            (Crate<Food.Item>.self, "Crate<Food.Item>"), (Crate<[Trips.List]>.self, "Crate<Array<Trips.List>>"),
            (Crate<[String: Food.Item?]>.self, "Crate<Dictionary<String, Optional<Food.Item>>>"),
            (Crate<Food.Item>.Lid<Crate<Int>.Lid<Never>>.self, "Crate<Food.Item>.Lid<Crate<Int>.Lid<Never>>"),
            (Crate<(Food.Item, count: Int)>.self, "Crate<(Food.Item, count: Int)>"),
            (Crate<(Food.Item) throws -> Trips.List.Type>.self, "Crate<(Food.Item) throws -> Trips.List.Type>"),
            (Crate<any QueryCache>.self, "Crate<QueryCache>"), (Inner.self, "TypeNameTests.Inner"),
            (Crate<Local>.self, "Crate<TypeNameTests.Local>"), (Crate<Hidden>.Lid<Inner>.self, "Crate<Hidden>.Lid<TypeNameTests.Inner>"),
            (Food.List.Row.self, "Food.List.Row"), (Any.self, "Any"),
        ] as [(Any.Type, String)] {
            #expect(TypeName(type).element.description == name)
        }
        // A type may have any name between backticks.
        #expect(TypeName.insideModule("App.Crate<App.`a.b c`.Lid>") == "Crate<`a.b c`.Lid>")
    }

    @Test func `R36 a whole name is fleeting if a private or local type is a part of it`() {
        struct Local {}
        for type in [Hidden.self, Hidden.Part.self, Inner.self, Local.self, Crate<Hidden>.self, Crate<[Local]>.Lid<Int>.self] as [Any.Type]
        {
            #expect(TypeName.isFleeting(TypeName(type).whole))
        }
        for type in [Food.List.self, Food.List.Row.self, Crate<[Trips.Item?]>.self, Crate<(Int) -> Int>.self] as [Any.Type] {
            #expect(!TypeName.isFleeting(TypeName(type).whole))
        }
        #expect(TypeName(Food.List.self).whole == "TestSupport.Food.List")
    }
}
