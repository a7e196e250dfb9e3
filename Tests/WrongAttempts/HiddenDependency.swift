// message: cannot override a property with type 'QueryContext.MemberOfTheSameName'
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
