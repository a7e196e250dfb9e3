// message: property 'clock' with type 'QueryDependency<any QueryClock>' cannot override a property with type 'QueryContext.MemberOfTheSameName'
import QueryKit

extension QueryDependencies {
    var clock: QueryDependency<any QueryClock> { .init(SystemClock()) }
}

func now(in context: QueryContext) -> QueryInstant { context.clock.now }
