import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Creates objects, and records which of them were released while a lock was held.
private final class ReleaseRecorder: Sendable {
    private struct Subject {
        var store: StoreCore?
        var client: ClientCore?
    }

    private let subject = Lock(Subject())
    let released = Recorder<String>()
    let releasedUnderLock = Recorder<String>()

    /// Checks from now on that the locks of `store` and `client` are free when an object is released; `nil` is not checked.
    func watch(_ store: StoreCore? = nil, of client: ClientCore? = nil) {
        subject.withLock { $0 = Subject(store: store, client: client) }
    }

    func make(_ name: String) -> Held { Held(name, self) }

    fileprivate func note(_ name: String) {
        released.note(name)
        let subject = subject.withLock { $0 }
        let areOpen = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            subject.store?.contents.withBasis { _, _ in }
            subject.client?.state.withLock { _ in }
            areOpen.signal()
        }
        if areOpen.wait(timeout: .now() + 2) == .timedOut { releasedUnderLock.note(name) }
    }
}

/// An object whose deallocation is recorded. Two objects with the same name are equal.
private final class Held: Equatable, Sendable {
    let name: String
    private let recorder: ReleaseRecorder

    init(_ name: String, _ recorder: ReleaseRecorder) {
        self.name = name
        self.recorder = recorder
    }

    deinit { recorder.note(name) }

    static func == (left: Held, right: Held) -> Bool { left.name == right.name }
}

extension QueryContext {
    private enum ReleaseRecorderKey: Key { static let defaultValue = ReleaseRecorder() }
    private enum HeldKey: Key { static var defaultValue: Held? { nil } }

    fileprivate var recorder: ReleaseRecorder {
        get { self[ReleaseRecorderKey.self] }
        set { self[ReleaseRecorderKey.self] = newValue }
    }

    fileprivate var held: Held? {
        get { self[HeldKey.self] }
        set { self[HeldKey.self] = newValue }
    }
}

/// Yields one object and returns another.
private struct FetchHeld: QueryRequest {
    func fetch(in context: QueryContext, with continuation: QueryContinuation<Held>) async throws -> Held {
        let number = try await context.backend.fetch(
            1,
            context,
            QueryContinuation { continuation.yield(context.recorder.make("yield \($0)")) }
        )
        return context.recorder.make("fetch \(number)")
    }
}

/// Replaces the value optimistically by an object until the gate opens, then succeeds or fails.
private struct Replace: MutationRequest {
    let recorder: ReleaseRecorder
    let gate: Gate
    var fails = false

    static func == (left: Replace, right: Replace) -> Bool { left.fails == right.fails }
    func hash(into hasher: inout Hasher) { hasher.combine(fails) }

    func mutate(with id: Int, in context: QueryContext, with continuation: QueryContinuation<Held>) async throws -> Held {
        try await gate.pass()
        if fails { throw TestError() }
        return context.recorder.make("result")
    }

    func optimistic(with id: Int, in layers: inout QueryLayers) {
        layers.update(FetchHeld()) { [held = recorder.make("layer")] value in value = held }
    }
}

extension Compositions {
    /// Releasing a value may run any code in its deinit, so no lock may be held then.
    struct ReleaseTests {
        enum Event: CaseIterable {
            case write, observedWrite, equalWrite, observedEqualWrite, slowHandler, batch, batchOfEquals, batchBeforeSession
            case run, overtakenRun, cancelledRun, failedRun, privateRun
            case reset, clear, session
            case landedLayer, failedLayer, layerOfFormerSession, layerOverNewValue, layerOverReset, layerOverCancelledRun
            case layerWithoutCall, callersContext, placeholder
        }

        /// A store watched by a release recorder, with gates for a run and a mutation.
        private struct Scene: Sendable {
            let recorder = ReleaseRecorder()
            let run = Gate()
            let mutation = Gate()
            let slow = Valve()
            let bench: TestBench

            init() {
                bench = TestBench { [run] call in
                    if call.number > 1 {
                        call.continuation.yield(call.number)
                        try await run.pass()
                        if call.number > 2 { throw TestError() }
                    }
                    return call.number
                } adjusting: { [recorder] in
                    $0.recorder = recorder
                    $0.ttl = .infinity
                    $0.retry.limit = 0
                }
            }

            var client: QueryClient { bench.client }
            func write(_ name: String) { client.setValue(recorder.make(name), for: FetchHeld()) }
        }

        private static func happen(_ event: Event, in scene: Scene) async throws {
            let (client, recorder) = (scene.client, scene.recorder)
            let store = client.store(for: FetchHeld())
            _ = try await store.fetch()
            recorder.watch(store.core, of: client.core)
            func observed(_ act: () async throws -> Void) async rethrows {
                let subscription = store.subscribe(
                    with: QueryEventHandler { state, _ in if state.value?.name == "slow" { scene.slow.wait() } }
                )
                try await act()
                subscription.cancel()
            }
            func mutate(fails: Bool = false, _ meanwhile: () async throws -> Void) async throws {
                try client.store(for: Replace(recorder: recorder, gate: scene.mutation, fails: fails)).submit(1)
                await scene.mutation.arrived()
                try await meanwhile()
                scene.mutation.open()
            }
            switch event {
            case .write: scene.write("next")
            case .observedWrite: await observed { for name in ["next", "last"] { scene.write(name) } }
            case .equalWrite: scene.write("fetch 1")
            case .observedEqualWrite: await observed { scene.write("fetch 1") }
            case .slowHandler:
                await observed {
                    Thread.detachNewThread { scene.write("slow") }
                    await reaches { scene.slow.arrivals == 1 }
                    for number in 1...5 { scene.write("during \(number)") }
                    scene.slow.open()
                    await client.settled()
                }
            case .batchOfEquals:
                client.batch { for name in ["old", "batch", "batch", "new"] { scene.write(name) } }
            case .batchBeforeSession:
                client.batch {
                    for name in ["batch", "batch"] { scene.write(name) }
                    client.reset(session: "next")
                }
            case .batch: await observed { client.batch { for number in 1...3 { scene.write("\(number)") } } }
            case .run, .failedRun:
                scene.run.open()
                for _ in 0..<(event == .run ? 1 : 2) { _ = try? await store.fetch() }
            case .overtakenRun, .cancelledRun:
                let caller = Task { _ = try? await store.fetch() }
                await scene.run.arrived()
                if event == .overtakenRun { scene.write("over") } else { caller.cancel() }
                scene.run.open()
                await caller.value
            case .privateRun:
                scene.run.open()
                _ = try await client.fetch(FetchHeld().deduplicated(false))
            case .reset: store.reset()
            case .clear: client.clear()
            case .session: client.reset(session: "other")
            case .landedLayer: try await mutate {}
            case .failedLayer: try await mutate(fails: true) {}
            case .layerOfFormerSession: try await mutate { client.reset(session: "other") }
            case .layerOverReset: try await mutate { store.reset() }
            case .layerOverCancelledRun:
                try await mutate {
                    let caller = Task { _ = try? await store.fetch() }
                    await scene.run.arrived()
                    caller.cancel()
                    await caller.value
                    scene.run.open()
                }
            case .layerWithoutCall:
                func add() {
                    let held = recorder.make("layer")
                    store.addLayer(of: UUID()) { _ in withExtendedLifetime(held) {} }
                }
                add()
                client.reset(session: "other")
            case .layerOverNewValue: try await mutate { scene.write("beneath") }
            case .callersContext:
                var context = client.context
                context.held = recorder.make("context")
                scene.run.open()
                _ = try await store.fetch(using: context)
            case .placeholder:
                func observe() -> QuerySubscription {
                    let held = recorder.make("placeholder")
                    return client.store(for: FetchHeld().placeholder(held)).subscribe(with: .init())
                }
                let subscription = observe()
                store.reset()
                subscription.cancel()
            }
            await client.settled()
        }

        @Test(arguments: Event.allCases) func `nothing is released while a lock is held`(_ event: Event) async throws {
            let scene = Scene()
            try await Self.happen(event, in: scene)
            scene.client.reset(session: "last")
            await scene.client.settled()
            // The task of the last run may still hold it.
            #expect(await reaches { scene.recorder.released.all.contains("fetch 1") })
            #expect(scene.recorder.releasedUnderLock.all == [])
            scene.recorder.watch()
        }
    }
}
