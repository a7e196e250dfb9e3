import Testing

@testable import QueryKitSQLite

struct CallersThreadUseTests {
    /// Begins reads until one isn't granted.
    private func granted(_ use: inout CallersThreadUse, acceptsLast: Bool = true) -> [CallersThreadUse.Admission] {
        var granted: [CallersThreadUse.Admission] = []
        while true {
            let admission = use.enter(acceptsLast: acceptsLast)
            guard admission.isGranted else { return granted }
            granted.append(admission)
        }
    }

    @Test func `D1 with a single core all reads use lanes`() {
        var use = CallersThreadUse(cores: 1)
        #expect(use.isOff)
        #expect(use.enter() == .refused)
    }

    @Test(arguments: [(2, 1), (8, 7)])
    func `D1 quick reads leave one core free, and one tiny read may use it`(cores: Int, quick: Int) {
        var use = CallersThreadUse(cores: cores)
        #expect(!use.isOff)
        #expect(granted(&use) == Array(repeating: .quick, count: quick) + [.tiny])
        #expect(use.enter() == .refused)
        // Once a read ends, another one may begin, with the same limits.
        use.leave(after: 0)
        #expect(granted(&use) == [.tiny])
        for _ in 0...quick { use.leave(after: 0) }
        #expect(granted(&use) == Array(repeating: .quick, count: quick) + [.tiny])
    }

    @Test(arguments: [(1, 0), (2, 1), (8, 7)])
    func `D1 work that is never tiny leaves the last core free`(cores: Int, quick: Int) {
        var use = CallersThreadUse(cores: cores)
        #expect(granted(&use, acceptsLast: false) == Array(repeating: .quick, count: quick))
        #expect(use.enter(acceptsLast: false) == .refused)
    }

    @Test(arguments: [2, 8])
    func `D1 after some time on the last core a read must let other tasks run, and may then begin`(cores: Int) {
        var use = CallersThreadUse(cores: cores)
        for _ in 1..<cores { #expect(use.enter() == .quick) }
        for _ in 0..<3 {
            for _ in 0..<4 {
                #expect(use.enter() == .tiny)
                use.leave(after: CallersThreadUse.lastLimit / 4)
            }
            // Asking again without yielding doesn't help.
            for _ in 0..<2 { #expect(use.enter() == .afterYield) }
            use.yield()
        }
        // A single read that took as long as possible has the same effect.
        #expect(use.enter() == .tiny)
        use.leave(after: .max)
        #expect(use.enter() == .afterYield)
        use.yield()
        // Reads that leave a thread free don't count.
        use.leave(after: 0)
        for _ in 0..<9 {
            #expect(use.enter() == .quick)
            use.leave(after: CallersThreadUse.lastLimit)
        }
        #expect(use.enter() == .quick)
        #expect(use.enter() == .tiny)
    }

    @Test func `D1 a limit alone allows no read on the last core`() {
        var use = CallersThreadUse(limit: 2, hasLast: false)
        #expect(granted(&use) == [.quick, .quick])
        #expect(CallersThreadUse(limit: 0, hasLast: false).isOff)
        #expect(CallersThreadUse(limit: -1, hasLast: false).isOff)
    }
}
