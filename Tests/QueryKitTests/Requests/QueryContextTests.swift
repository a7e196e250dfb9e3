import Foundation
import TestSupport
import Testing

@testable import QueryKit

struct QueryContextTests {
    private enum Name: QueryContext.Key { static let defaultValue = "nobody" }

    private enum Other: QueryContext.Key { static let defaultValue = "other" }

    private enum Held: QueryContext.Key { static let defaultValue: DeinitObserver? = nil }

    private enum Limit: QueryContext.Key { static let defaultValue: Int? = nil }

    private enum Level: QueryContext.Key { static let defaultValue: Int? = 5 }

    private static let reads = Lock(0)

    private enum Computed: QueryContext.Key {
        static var defaultValue: Int {
            QueryContextTests.reads.withLock { reads in
                reads += 1
                return reads
            }
        }
    }

    @Test func `a key has its default value until it is set`() {
        var context = QueryContext()
        #expect(context[Name.self] == "nobody")
        context[Name.self] = "Ada"
        #expect(context[Name.self] == "Ada")
        #expect(context[Other.self] == "other")
        #expect(QueryContext()[Name.self] == "nobody")
    }

    @Test func `an optional value can be set and reset to nil`() {
        var context = QueryContext()
        #expect(context[Limit.self] == nil)
        context[Limit.self] = 3
        #expect(context[Limit.self] == 3)
        context[Limit.self] = nil
        #expect(context[Limit.self] == nil)
    }

    @Test func `an optional value has its default until it is set, even to nil`() {
        var context = QueryContext()
        #expect(context[Level.self] == 5)
        context[Level.self] = nil
        #expect(context[Level.self] == nil)
    }

    @Test func `a default value is computed at each use until a value is set`() {
        var context = QueryContext()
        let first = context[Computed.self]
        #expect(context[Computed.self] == first + 1)
        context[Computed.self] = -1
        #expect(context[Computed.self] == -1)
    }

    @Test func `changing a copy of a context does not change the original`() {
        var context = QueryContext()
        context[Name.self] = "Ada"
        context.ttl = .seconds(1)
        var copy = context
        #expect(copy.isIdentical(to: context))
        copy[Name.self] = "Grace"
        copy.ttl = .seconds(2)
        copy.clock = ManualClock()
        #expect(context[Name.self] == "Ada")
        #expect(context.ttl == .seconds(1))
        #expect(context.clock is SystemClock)
        #expect(copy[Name.self] == "Grace")
        #expect(copy.ttl == .seconds(2))
        #expect(copy.clock is ManualClock)
        #expect(!copy.isIdentical(to: context))
    }

    @Test func `settings have their documented defaults`() {
        let context = QueryContext()
        #expect(context.ttl == .zero)
        #expect(context.retention == nil)
        #expect(context.retry.limit == nil)
        #expect(context.timeout == nil)
        #expect(context.authorization == nil)
        #expect(context.abandonment == .cancel)
        #expect(context.owner == nil)
        #expect(context.recovery.step(after: QueryError(.cycle)) == .fail)
        #expect(!context.settings.keepsPrevious)
        #expect(context.settings.isDeduplicated)
        #expect(!context.settings.notifiesEqual)
    }

    @Test func `settings keep their values independently of each other`() async {
        var context = QueryContext()
        context.ttl = .seconds(1)
        context.retention = .seconds(2)
        context.retry = QueryRetry(limit: 3)
        context.timeout = .seconds(4)
        context.abandonment = .finish
        context.recovery = QueryRecovery { _, _ in .authorize }
        context.authorization = { _, context in context.ttl == .seconds(1) }
        #expect(context.ttl == .seconds(1))
        #expect(context.retention == .seconds(2))
        #expect(context.retry.limit == 3)
        #expect(context.timeout == .seconds(4))
        #expect(context.abandonment == .finish)
        #expect(context.recovery.step(after: TestError()) == .authorize)
        #expect(await context.authorization?(TestError(), context) == true)
    }

    @Test func `contexts with the same times share one copy, no matter how many other contexts exist`() {
        var base = QueryContext()
        base[Name.self] = "Ada"
        func adjusted(_ number: Int) -> QueryContext {
            var context = base
            context.ttl = .seconds(number)
            context.retention = .seconds(number % 3)
            return context
        }
        #expect(adjusted(1).isIdentical(to: adjusted(1)))
        #expect(!adjusted(1).isIdentical(to: adjusted(2)))
        for _ in 0..<2 {
            for number in 0..<20 {
                let context = adjusted(number)
                #expect(context.ttl == .seconds(number))
                #expect(context.settings.span == Nanoseconds(.seconds(number)))
                #expect(context.retention == .seconds(number % 3))
                #expect(context[Name.self] == "Ada")
            }
        }
        #expect(base.ttl == .zero && base.retention == nil)
        base.settings.setTTL(rule: TTLRule<Int> { _ in .zero })
        #expect(adjusted(1).settings.ttlRule == nil)
    }

    @Test func `a context does not retain discarded copies that were made from it`() {
        weak var forgotten: DeinitObserver?
        var base = QueryContext()
        do {
            let mortal = DeinitObserver()
            forgotten = mortal
            base[Held.self] = mortal
            var derived = base
            derived.ttl = .seconds(1)
        }
        #expect(forgotten != nil)
        base = QueryContext()
        #expect(forgotten == nil)
    }

    @Test func `R13 negative times count as zero`() {
        var context = QueryContext()
        context.ttl = .seconds(-1)
        context.retention = .seconds(-1)
        #expect(context.ttl == .zero)
        #expect(context.retention == .zero)
        context.retention = nil
        #expect(context.retention == nil)
    }

    @Test func `overriding a context keeps its client`() {
        let client = QueryClient(configuration: .isolated)
        var context = client.context
        context[Name.self] = "Ada"
        context.clock = ManualClock()
        context.ttl = .seconds(1)
        #expect(context.queryClient === client)
    }

    @Test func `a context does not keep its client alive`() {
        var context = QueryContext()
        do {
            let client = QueryClient(configuration: .isolated)
            context = client.context
            #expect(context.queryClient === client)
        }
        #expect(context.queryClient == nil)
    }

    @Test func `a continuation passes on yielded values`() {
        let received = Recorder<Int>()
        let continuation = QueryContinuation<Int> { received.note($0) }
        continuation.yield(1)
        continuation.yield(2)
        #expect(received.all == [1, 2])
    }

    @Test func `a context whose settings change repeatedly does not retain earlier versions`() {
        var (first, context) = (QueryContext(), QueryContext())
        first[Name.self] = "first"
        context = first
        for round in 1...300_000 { context.ttl = .seconds(round % 2) }
        #expect(context.ttl == .zero)
        // Releasing a chain of that length would overflow the stack.
        context = QueryContext()
        first = QueryContext()
    }
}
