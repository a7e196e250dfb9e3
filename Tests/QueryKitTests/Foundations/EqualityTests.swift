import Testing

@testable import QueryKit

struct EqualityTests {
    private struct Opaque {
        let number: Int
    }

    private class Animal: Equatable {
        let name: String

        init(_ name: String) { self.name = name }

        static func == (left: Animal, right: Animal) -> Bool { left.name == right.name }
    }

    private final class Cat: Animal {}

    @Test func `Equatable values are compared`() {
        #expect(areKnownToBeEqual(5, 5))
        #expect(!areKnownToBeEqual(5, 6))
        #expect(areKnownToBeEqual(["a"], ["a"]))
        #expect(!areKnownToBeEqual(["a"], ["b"]))
        #expect(!areKnownToBeEqual(Double.nan, .nan))
    }

    @Test func `optionals are compared, including nil`() {
        #expect(areKnownToBeEqual(Int?.none, nil))
        #expect(areKnownToBeEqual(Optional(5), 5))
        #expect(!areKnownToBeEqual(Optional(5), nil))
        #expect(!areKnownToBeEqual(nil, Optional(5)))
    }

    @Test func `values that are not Equatable are not known to be equal`() {
        #expect(!areKnownToBeEqual(Opaque(number: 1), Opaque(number: 1)))
        #expect(!areKnownToBeEqual([Opaque(number: 1)], [Opaque(number: 1)]))
        #expect(!areKnownToBeEqual((), ()))
    }

    @Test func `values of different types behind one protocol are not equal`() {
        let number: any Sendable = 5
        let text: any Sendable = "5"
        #expect(!areKnownToBeEqual(number, text))
        #expect(!areKnownToBeEqual(text, number))
        #expect(areKnownToBeEqual(number, 5 as any Sendable))
    }

    @Test func `objects are compared by the type that is Equatable, even if their classes differ`() {
        #expect(areKnownToBeEqual(Animal("Tom"), Animal("Tom")))
        #expect(!areKnownToBeEqual(Animal("Tom"), Animal("Kit")))
        #expect(areKnownToBeEqual(Cat("Tom") as Animal, Animal("Tom")))
    }
}
