/// The names of the members of ``QueryContext``. A dependency can't have one of them, because the member would hide it.
///
/// ``QueryDependencies`` inherits these properties only so that the compiler refuses such a dependency:
///
/// ```swift
/// extension QueryDependencies {
///     // error: property 'clock' with type
///     // 'QueryDependency<any Metronome>' cannot override a property
///     // with type 'QueryContext.MemberOfTheSameName'
///     var clock: QueryDependency<any Metronome> { .init(Silence()) }
/// }
/// ```
///
/// Give the dependency another name. If a module of yours adds a member to ``QueryContext``, it can add the name in an extension of this
/// class.
public class QueryContextNames {
    init() {}
}

extension QueryContext {
    /// The type of the names in ``QueryContextNames``. You see it in the compiler's message about a dependency that a member would hide.
    public struct MemberOfTheSameName: Sendable {
        /// Creates the value of a name.
        public init() {}
    }
}

/// Each name belongs to the member of ``QueryContext`` with that name. The properties are never read.
extension QueryContextNames {
    /// Reserves the name of ``QueryContext/abandonment``.
    public final var abandonment: QueryContext.MemberOfTheSameName { .init() }
    /// Reserves the name of ``QueryContext/activityObserver``.
    public final var activityObserver: QueryContext.MemberOfTheSameName { .init() }
    /// Reserves the name of ``QueryContext/appVersion``.
    public final var appVersion: QueryContext.MemberOfTheSameName { .init() }
    /// Reserves the name of ``QueryContext/authorization``.
    public final var authorization: QueryContext.MemberOfTheSameName { .init() }
    /// Reserves the name of ``QueryContext/calendar``.
    public final var calendar: QueryContext.MemberOfTheSameName { .init() }
    /// Reserves the name of ``QueryContext/clock``.
    public final var clock: QueryContext.MemberOfTheSameName { .init() }
    /// Reserves the name of ``QueryContext/historyLength``.
    public final var historyLength: QueryContext.MemberOfTheSameName { .init() }
    /// Reserves the name of ``QueryContext/memoryPressureSource``.
    public final var memoryPressureSource: QueryContext.MemberOfTheSameName { .init() }
    /// Reserves the name of ``QueryContext/mutationID``.
    public final var mutationID: QueryContext.MemberOfTheSameName { .init() }
    /// Reserves the name of ``QueryContext/mutationJournal``.
    public final var mutationJournal: QueryContext.MemberOfTheSameName { .init() }
    /// Reserves the name of ``QueryContext/networkMode``.
    public final var networkMode: QueryContext.MemberOfTheSameName { .init() }
    /// Reserves the name of ``QueryContext/networkObserver``.
    public final var networkObserver: QueryContext.MemberOfTheSameName { .init() }
    /// Reserves the name of ``QueryContext/queryClient``.
    public final var queryClient: QueryContext.MemberOfTheSameName { .init() }
    /// Reserves the name of ``QueryContext/recovery``.
    public final var recovery: QueryContext.MemberOfTheSameName { .init() }
    /// Reserves the name of ``QueryContext/repair``.
    public final var repair: QueryContext.MemberOfTheSameName { .init() }
    /// Reserves the name of ``QueryContext/retention``.
    public final var retention: QueryContext.MemberOfTheSameName { .init() }
    /// Reserves the name of ``QueryContext/retry``.
    public final var retry: QueryContext.MemberOfTheSameName { .init() }
    /// Reserves the name of ``QueryContext/session``.
    public final var session: QueryContext.MemberOfTheSameName { .init() }
    /// Reserves the name of ``QueryContext/timeZone``.
    public final var timeZone: QueryContext.MemberOfTheSameName { .init() }
    /// Reserves the name of ``QueryContext/timeZoneObserver``.
    public final var timeZoneObserver: QueryContext.MemberOfTheSameName { .init() }
    /// Reserves the name of ``QueryContext/timeout``.
    public final var timeout: QueryContext.MemberOfTheSameName { .init() }
    /// Reserves the name of ``QueryContext/ttl``.
    public final var ttl: QueryContext.MemberOfTheSameName { .init() }
}
