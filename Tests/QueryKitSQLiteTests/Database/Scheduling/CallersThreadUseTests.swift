import Testing

@testable import QueryKitSQLite

@Suite struct CallersThreadUseTests {
    /// Begins reads until one is refused.
    private func budgets(_ use: inout CallersThreadUse, acceptsLast: Bool = true) -> [CallersThreadUse.Budget] {
        var budgets: [CallersThreadUse.Budget] = []
        while let budget = use.enter(acceptsLast: acceptsLast) { budgets.append(budget) }
        return budgets
    }

    @Test func `D1 with a single core all reads use lanes`() {
        var use = CallersThreadUse(cores: 1)
        #expect(use.isOff)
        #expect(budgets(&use).isEmpty)
    }

    @Test(arguments: [(2, 1), (8, 7)])
    func `D1 quick reads leave one core free, and one tiny read may use it`(cores: Int, quick: Int) {
        var use = CallersThreadUse(cores: cores)
        #expect(!use.isOff)
        #expect(budgets(&use) == Array(repeating: .quick, count: quick) + [.tiny])
        // Once a read ends, another one may begin, with the same limits.
        use.leave()
        #expect(budgets(&use) == [.tiny])
        for _ in 0...quick { use.leave() }
        #expect(budgets(&use) == Array(repeating: .quick, count: quick) + [.tiny])
    }

    @Test(arguments: [(1, 0), (2, 1), (8, 7)])
    func `D1 work that is never tiny leaves the last core free`(cores: Int, quick: Int) {
        var use = CallersThreadUse(cores: cores)
        #expect(budgets(&use, acceptsLast: false) == Array(repeating: .quick, count: quick))
    }

    @Test(arguments: [2, 8])
    func `D1 after a number of tiny reads on the last core, one is refused, so that other tasks get its thread`(cores: Int) {
        var use = CallersThreadUse(cores: cores)
        for _ in 1..<cores { #expect(use.enter() == .quick) }
        for _ in 0..<3 {
            for _ in 0..<CallersThreadUse.lastLimit {
                #expect(use.enter() == .tiny)
                use.leave()
            }
            #expect(use.enter() == nil)
        }
    }

    @Test func `D1 a limit alone allows no read on the last core`() {
        var use = CallersThreadUse(limit: 2, hasLast: false)
        #expect(budgets(&use) == [.quick, .quick])
        #expect(CallersThreadUse(limit: 0, hasLast: false).isOff)
        #expect(CallersThreadUse(limit: -1, hasLast: false).isOff)
    }
}
