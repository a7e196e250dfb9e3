/// What few stores have, behind one reference so that the many pay a word for it. Guarded by the store's lock.
final class StoreExtras {
    var layers = LayerStack()
    /// What asks for runs, by the number of the observer that set it; polling stands under ``polling``.
    var triggers: [UInt32: TriggerSession] = [:]

    static let polling = UInt32.max
    /// The settings of the request without modifiers, where the store was made for one with some.
    var plain: RequestSettings?
    /// The requests that brought a cache, one for each cache.
    var keepers: [RequestSettings] = []
    /// The requests that brought handlers.
    var companions: [Companion] = []
    /// The tags of all requests, and the requests that compute some from the value.
    var tags: Set<QueryTag> = []
    var computing: [Companion] = []
    /// What tells of changes in the requests that the value depends on.
    var links: [QueryIdentity: QuerySubscription] = [:]
    /// What has changed in the regions that were read, since the latest run that brought a value began; `nil` until a run wants to know.
    var changes: RegionChanges?
}

/// What is known to have changed: some regions, or anything.
enum RegionChanges: Sendable {
    case some(RegionSet)
    case anything

    static let nothing = RegionChanges.some(RegionSet())

    mutating func add(_ regions: [QueryRegion]) {
        guard case .some(var set) = self else { return }
        for region in regions { set.insert(region) }
        self = .some(set)
    }

    /// Takes over what another one knows.
    mutating func merge(_ other: RegionChanges) {
        switch other {
        case .anything: self = .anything
        case .some(let set): add(set.regions)
        }
    }
}

/// Settings with handlers, which count as long as a handle, an observer or a caller holds them.
struct Companion {
    weak var settings: RequestSettings?
}
