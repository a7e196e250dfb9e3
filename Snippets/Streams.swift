//! A sensor that sends values: a store fed by a sequence, which is open
//! as long as the store is observed.
import QueryKit

// snippet.request
/// Counts steps, and sends them to observers.
actor Pedometer {
    private var steps = 0
    private var observer: AsyncStream<Int>.Continuation?

    func observe() -> AsyncStream<Int> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Int.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        continuation.yield(steps)
        observer = continuation
        return stream
    }

    func step() {
        steps += 1
        observer?.yield(steps)
    }
}

struct Steps: StreamRequest {
    func stream(
        in context: QueryContext
    ) async throws -> AsyncStream<Int> {
        await context.pedometer.observe()
    }
}
// snippet.end

nonisolated extension QueryDependencies {
    var pedometer: QueryDependency<Pedometer> { .init(Pedometer()) }
}

let pedometer = Pedometer()
var context = QueryContext()
context.pedometer = pedometer
let client = QueryClient(context: context)

// snippet.watch
let store = client.store(for: Steps())
for await steps in store.select(\.value) {
    guard let steps else { continue }
    print(steps, store.isLive)  // 0 true, 1 true, 2 true
    if steps == 2 { break }
    await pedometer.step()
}
// snippet.end
// snippet.hide
precondition(store.value == 2)
// snippet.show
