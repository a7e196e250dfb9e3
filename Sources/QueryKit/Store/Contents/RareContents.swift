/// What few stores have, behind one reference so that the many pay a word for it. Guarded by the store's lock.
final class RareContents {
    var layers = LayerStack()
    /// The last run whose result was refused; see ``StoreContents/isDoubtful(_:)``.
    var doubtedRun: Int32 = 0
    /// What asks for runs, by the number of the observer that set it; polling stands under ``polling``.
    var triggers: [UInt32: TriggerSession] = [:]

    static let polling = UInt32.max
    /// The run that a trigger began last.
    var triggered: TriggeredRun?
    /// The settings of the request without modifiers, where the store was made for one with some.
    var plain: RequestSettings?
    /// The requests that brought a cache, one for each cache.
    var keepers: [RequestSettings] = []
    /// What the base value depends on besides the request.
    var variant = ValueVariant.unknown
    /// The requests that brought handlers.
    var companions: [Companion] = []
    /// The tags of all requests, and the requests that compute some from the value. The latest of them counts until the store goes.
    private(set) var tags: Set<QueryTag> = []
    private(set) var computing: [Companion] = []
    private(set) var latestComputing: RequestSettings?
    /// Raised with each tag, and each request that computes some.
    private(set) var taggingVersion: UInt32 = 0
    /// What tells of changes in the requests that the value depends on.
    var links: [QueryIdentity: QuerySubscription] = [:]
    /// What has changed in the regions that were read, since the latest run that brought a value began; `nil` until a run wants to know.
    var changes: RegionChanges?
    /// Whether the store is shown at one moment with others.
    var isConsistent = false
    /// The first change that the value lacks, if the store is consistent and the value lacks one.
    var missed: ChangeNumber?
    /// What is published at the end of a batch; `nil` outside of one.
    var held: HeldBack?

    var isTagged: Bool { !tags.isEmpty || !computing.isEmpty }

    /// Takes over the tags that some settings bring.
    func addTags(of settings: RequestSettings) {
        let own = settings.context.settings
        if !tags.isSuperset(of: own.tags) {
            tags.formUnion(own.tags)
            taggingVersion &+= 1
        }
        if own.computedTags == nil || computing.contains(where: { $0.settings === settings }) { return }
        computing.removeAll { $0.settings == nil }
        let kept = settings.keptForTags
        computing.append(Companion(settings: settings))
        if kept !== settings { computing.append(Companion(settings: kept)) }
        latestComputing = kept
        taggingVersion &+= 1
    }

    /// Forgets the settings that compute tags: they are of a former session.
    func forgetComputing() {
        computing = []
        latestComputing = nil
        taggingVersion &+= 1
    }
}

/// A run that began because the trigger of one observer fired.
struct TriggeredRun {
    let cause: QueryCause
    let observer: UInt32
    let time: QueryInstant

    /// Whether the run answers what another observer's trigger tells of: the same event, some moments later.
    func answers(_ cause: QueryCause, of observer: UInt32, at now: QueryInstant) -> Bool {
        cause == self.cause && observer != self.observer && time.duration(to: now) < TriggerSession.pause
    }
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
