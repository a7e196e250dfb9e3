// message: value of type 'any QueryClock' has no member 'tick'
import QueryKit

protocol Metronome: Sendable {
    func tick()
}

struct Silence: Metronome {
    func tick() {}
}

extension QueryDependencies {
    var clock: QueryDependency<any Metronome> { .init(Silence()) }
}

func play(in context: QueryContext) { context.clock.tick() }
