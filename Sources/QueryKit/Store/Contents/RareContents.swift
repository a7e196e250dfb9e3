/// Properties that few stores need. They are behind one reference, so that all other stores use only one word of memory for them. Guarded
/// by the store's lock.
final class RareContents {
    var layers = LayerStack()
    /// The last run whose result was discarded; see ``StoreContents/mustDiscard(_:)``.
    var discardedRun: Int32 = 0
    /// The trigger sessions, by the number of the observer that the triggers belong to. The polling session is stored under ``polling``.
    var triggers: [UInt32: TriggerSession] = [:]

    static let polling = UInt32.max
    /// The last run that was started by a trigger.
    var triggered: TriggeredRun?
    /// The settings of the request without modifiers, if the store was created for a request with modifiers.
    var plain: RequestSettings?
    /// The settings of the requests with a cache, one for each cache.
    var allCacheSettings: [RequestSettings] = []
    /// The variant of the base value: what it depends on besides the request.
    var variant = ValueVariant.unknown
    /// The settings of the requests with handlers.
    var handlerSettings: [WeakSettings] = []
    /// The tags of all requests, and the settings that compute tags from the value. The latest settings count until the store is released.
    private(set) var tags: Set<QueryTag> = []
    private(set) var computing: [WeakSettings] = []
    private(set) var latestComputing: RequestSettings?
    /// Incremented when tags, or settings that compute tags, are added.
    private(set) var taggingVersion: UInt32 = 0
    /// The subscriptions that report changes of the requests that the value depends on.
    var links: [QueryIdentity: QuerySubscription] = [:]
    /// The regions that have changed since the latest successful run began; `nil` until a run needs them.
    var changes: RegionChanges?
    /// Whether the store is consistent: shown as of the same moment as others.
    var isConsistent = false
    /// The first change that the value doesn't include, if the store is consistent and there is such a change.
    var missed: ChangeNumber?
    /// The changes to publish at the end of a batch; `nil` outside of a batch.
    var held: HeldBack?

    var isTagged: Bool { !tags.isEmpty || !computing.isEmpty }

    /// Adds the tags of some settings, or the settings themselves if they compute tags.
    func addTags(of settings: RequestSettings) {
        let own = settings.context.settings
        if !tags.isSuperset(of: own.tags) {
            tags.formUnion(own.tags)
            taggingVersion &+= 1
        }
        if own.computedTags == nil || computing.contains(where: { $0.settings === settings }) { return }
        computing.removeAll { $0.settings == nil }
        let kept = settings.keptForTags
        computing.append(WeakSettings(settings: settings))
        if kept !== settings { computing.append(WeakSettings(settings: kept)) }
        latestComputing = kept
        taggingVersion &+= 1
    }

    /// Removes the settings that compute tags, because they belong to an earlier session.
    func forgetComputing() {
        computing = []
        latestComputing = nil
        taggingVersion &+= 1
    }
}

/// A run that was started because the trigger of one observer fired.
struct TriggeredRun {
    let cause: QueryCause
    let observer: UInt32
    let time: QueryInstant

    /// Whether the run also satisfies another observer's trigger, which fires for the same event a moment later.
    func answers(_ cause: QueryCause, of observer: UInt32, at now: QueryInstant) -> Bool {
        cause == self.cause && observer != self.observer && time.duration(to: now) < TriggerSession.pause
    }
}

/// Settings that count as long as a handle, an observer or a caller holds them.
struct WeakSettings {
    weak var settings: RequestSettings?
}
