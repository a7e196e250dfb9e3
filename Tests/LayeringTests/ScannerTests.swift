import Testing

struct ForbiddenArrowTests {
    private let order = LayerOrder([["Low"], ["Middle"], ["Left", "Right"]])

    private func arrows(_ sources: [String: String]) -> [SourceModule.Arrow] {
        SourceModule(name: "House", sources: sources).forbiddenArrows(by: order)
    }

    /// The names for which "Low/A.swift" with the given text is refused, next to a type, a function and a variable of Middle.
    private func refused(_ text: String, and more: [String: String] = [:]) -> [String] {
        let middle = "public struct Store<Value> {}\nfunc open() {}\nlet shared = 1"
        return arrows(["Low/A.swift": text, "Middle/Store.swift": middle].merging(more) { $1 }).map(\.name)
    }

    @Test(arguments: [
        "let a: Store<Int>", "func a(_ store: Store<Int>) {}", "extension Store {}", "extension Store: Equatable {}",
        "struct A { struct B { let c = Store<Int>() } }", "let a = House.Store<Int>.self", "let a = \"\\(Store<Int>.self)\"",
        "let a = #\"\\#(Store<Int>.self)\"#", "let a = \"\"\"\n\\(\"\\(Store<Int>.self)\")\n\"\"\"", "/* a */ typealias A = Store<Int>",
        "let a = \"//\"; let b: Store<Int>", "let a = \"\\\"\"; let b: Store<Int>", "typealias A = Any // b\ntypealias B = Store<Int>",
    ])
    func `a name of a later folder is found`(_ text: String) {
        #expect(refused(text) == ["Store"])
    }

    @Test(arguments: [
        "// Store", "/// See ``Store``.", "/* Store /* Store */ Store */", "let a = \"Store\"", "let a = #\"\\(Store)\"#",
        "let a = \"\"\"\nStore \"Store\"\n\"\"\"", "let a = \"\\n Store\"",
    ])
    func `a name in a comment or a string is not a mention`(_ text: String) {
        #expect(refused(text) == [])
    }

    @Test(arguments: [
        "let a = b.Store.self", "let a = House.B.Store.self", "let a = .Store", "let Storekeeper = 1", "let a = Other.Store.self",
    ])
    func `a member with the same name is not a mention`(_ text: String) {
        #expect(refused(text) == [])
    }

    @Test func `a nested type with the same name is not a mention, even if declared in the next file`() {
        #expect(refused("struct A { struct Store {}; let b: Store }") == [])
        #expect(refused("let a: A.Store", and: ["Low/B.swift": "enum A { enum Store {} }"]) == [])
        #expect(refused("extension A { func b(_: Store) {} }", and: ["Low/B.swift": "enum A { enum Store {} }"]) == [])
    }

    @Test func `a nested type with the same name in a later folder does not excuse the mention`() {
        #expect(refused("let a: Store<Int>", and: ["Right/B.swift": "enum B { enum Store {} }"]) == ["Store"])
    }

    @Test func `types that later folders nest in extensions don't forbid a mention`() {
        #expect(arrows(["Low/A.swift": "let a: Entry", "Middle/B.swift": "extension B { struct Entry {} }"]) == [])
    }

    @Test(arguments: [
        "struct A<Store> { let b: Store }", "func a<Store: B, C>(_ store: Store) {}", "func a<each Store>(_ store: repeat each Store) {}",
        "protocol A { associatedtype Store; var b: Store { get } }", "struct A<B: C<D>, Store> {}",
    ])
    func `a generic parameter with the same name is not a mention`(_ text: String) {
        #expect(refused(text) == [])
    }

    @Test func `functions and variables of a later folder are found`() {
        #expect(refused("func a() { open() }") == ["open"])
        #expect(refused("let a = b.map(open)") == ["open"])
        #expect(refused("let a = shared + 1") == ["shared"])
    }

    @Test(arguments: ["let a = b.open()", "a(open: 1)", "func a(open: Int) {}", "struct A { func open() {}; func b() { open() } }"])
    func `a method or label named like a function is not a mention`(_ text: String) {
        #expect(refused(text) == [])
    }

    @Test func `a private type can't be mentioned by another file`() {
        #expect(arrows(["Low/A.swift": "let a: Box", "Middle/B.swift": "private final class Box {}"]) == [])
        #expect(arrows(["Low/A.swift": "let a: Box", "Middle/B.swift": "private let b = 1\nfinal class Box {}"]).count == 1)
    }

    @Test func `folders of the same rank may not name each other`() {
        let found = arrows(["Left/A.swift": "struct A {}\nlet b: B", "Right/B.swift": "struct B {}\nlet a: A"])
        #expect(
            found.map(\.description) == [
                "Left/A.swift names B, which belongs to Right", "Right/B.swift names A, which belongs to Left",
            ]
        )
    }

    @Test func `a folder may name itself and every folder before it`() {
        let sources = [
            "Low/A.swift": "struct A {}",
            "Middle/B.swift": "struct B { let a: A }",
            "Right/C.swift": "let a: A, b: B, c: C\nstruct C {}",
        ]
        #expect(arrows(sources) == [])
    }

    @Test func `a file in a deeper folder belongs to the top one`() {
        #expect(arrows(["Low/Deep/A.swift": "let b: B", "Middle/B.swift": "enum B {}"]).map(\.file) == ["Low/Deep/A.swift"])
    }
}

struct SourceFactsTests {
    @Test func `imports are read with their attributes and kinds`() {
        let text = """
            @testable import A
            public import B
            import struct C.D
            // import E
            let f = "import G"
            @preconcurrency internal import H
            """
        #expect(SourceFacts(text, module: "M").imports == ["A", "B", "C", "H"])
    }

    @Test func `only declarations at file level count as top-level`() {
        let text = """
            @frozen public struct A { class B {}; class func c() {} }
            #if os(Linux)
            indirect enum D { case e }
            #endif
            actor F {}
            """
        #expect(SourceFacts(text, module: "M").topLevel == ["A", "D", "F"])
    }
}

struct LayerOrderTests {
    @Test func `the order is found among the prose around it`() {
        let text = "# House\n\nCore\n    Core   Low → Middle (a, b) → Left, Right\n    Low  Engine → Top"
        #expect(LayerOrder(of: "Core", in: text) == LayerOrder([["Low"], ["Middle"], ["Left", "Right"]]))
        #expect(LayerOrder(of: "Low", in: text) == LayerOrder([["Engine"], ["Top"]]))
        #expect(LayerOrder(of: "Roof", in: text) == nil)
    }

    @Test func `a folder that is not listed may name no other, and no other may name it`() {
        let order = LayerOrder([["Low"], ["High"]])
        #expect(order.allows("High", toName: "Low"))
        #expect(!order.allows("Low", toName: "High"))
        #expect(!order.allows("Low", toName: "Attic"))
        #expect(!order.allows("Attic", toName: "Low"))
    }
}
