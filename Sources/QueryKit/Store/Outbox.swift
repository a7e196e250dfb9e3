/// The order in which a store's changes reach its subscribers, decided under the store's lock and carried out without it.
///
/// Whoever posts first delivers, and goes on until nothing is left; whoever posts meanwhile leaves the delivery behind and returns.
/// So subscribers hear everything in order and one thing at a time, without a lock or an allocation for each.
struct Outbox: Sendable {
    /// A subscriber that is still hearing the state it began with; what is posted meanwhile waits for it here.
    private struct Joining: Sendable {
        let subscriber: Subscriber
        var settings: RequestSettings
        var backlog: [Delivery] = []
    }

    /// A subscriber, and the number of the last delivery that came before it.
    struct Listener: Sendable {
        let subscriber: Subscriber
        /// The settings of the request with which it subscribed.
        var settings: RequestSettings
        let since: Int
    }

    /// One delivery and those who hear it.
    struct Turn: Sendable {
        let delivery: Delivery
        let listeners: [Listener]
    }

    private(set) var listeners: [Listener] = []
    private var joining: [Joining] = []
    private var pending: [Delivery] = []
    private(set) var isDelivering = false
    private var lastNumber = 0

    // MARK: Deliveries

    /// Whether someone is about to hear something.
    var isBusy: Bool { isDelivering || !joining.isEmpty }

    /// Whether anybody listens, or is about to.
    var isHeard: Bool { !listeners.isEmpty || !joining.isEmpty }

    /// The number for the next delivery, which has to be posted.
    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Puts a delivery in line; the caller carries out what comes back, if anything does.
    mutating func post(_ delivery: Delivery) -> Turn? {
        for index in joining.indices {
            joining[index].backlog.append(delivery)
            delivery.awaitAnotherTurn()
        }
        if isDelivering {
            pending.append(delivery)
            return nil
        }
        isDelivering = true
        return Turn(delivery: delivery, listeners: listeners)
    }

    /// What comes after a turn; `nil` when all is delivered and somebody else may take over.
    mutating func next() -> Turn? {
        guard !pending.isEmpty else {
            pending = []
            isDelivering = false
            return nil
        }
        return Turn(delivery: pending.removeFirst(), listeners: listeners)
    }

    // MARK: Subscribers

    mutating func join(_ subscriber: Subscriber, _ settings: RequestSettings) {
        joining.append(Joining(subscriber: subscriber, settings: settings))
    }

    /// The settings of all who observe, in the order in which they came.
    var observers: [RequestSettings] { numberedObservers.map(\.settings) }

    var numberedObservers: [(number: UInt32, settings: RequestSettings)] {
        listeners.filter(\.subscriber.isObserver).map { ($0.subscriber.number, $0.settings) }
            + joining.filter(\.subscriber.isObserver).map { ($0.subscriber.number, $0.settings) }
    }

    /// Whether someone who observes has settings of some kind.
    func containsObserver(where isWanted: (RequestSettings) -> Bool) -> Bool {
        listeners.contains { $0.subscriber.isObserver && isWanted($0.settings) }
            || joining.contains { $0.subscriber.isObserver && isWanted($0.settings) }
    }

    /// The settings of the observer that came last.
    var latestObserver: RequestSettings? {
        joining.last(where: \.subscriber.isObserver)?.settings ?? listeners.last(where: \.subscriber.isObserver)?.settings
    }

    /// The settings of one subscriber.
    func settings(of subscriber: Subscriber) -> RequestSettings? {
        joining.first { $0.subscriber === subscriber }?.settings ?? index(of: subscriber).map { listeners[$0].settings }
    }

    /// Gives subscribers other settings, where a closure returns some.
    mutating func replaceSettings(_ replacement: (Subscriber, RequestSettings) -> RequestSettings?) {
        for index in joining.indices {
            if let new = replacement(joining[index].subscriber, joining[index].settings) { joining[index].settings = new }
        }
        for index in listeners.indices {
            if let new = replacement(listeners[index].subscriber, listeners[index].settings) { listeners[index].settings = new }
        }
    }

    /// What a joining subscriber missed while it was hearing something; `nil` once it is up to date and a listener like the others.
    mutating func catchUp(_ subscriber: Subscriber) -> Delivery? {
        guard let index = joining.firstIndex(where: { $0.subscriber === subscriber }) else { return nil }
        if !joining[index].backlog.isEmpty { return joining[index].backlog.removeFirst() }
        let joined = joining.remove(at: index)
        if joining.isEmpty { joining = [] }
        listeners.append(Listener(subscriber: subscriber, settings: joined.settings, since: lastNumber))
        return nil
    }

    mutating func remove(_ subscriber: Subscriber) {
        guard let index = index(of: subscriber) else { return }
        listeners.remove(at: index)
        if listeners.isEmpty { listeners = [] }
    }

    /// Listeners stand in the order of their numbers, but for those that joined at the same time.
    private func index(of subscriber: Subscriber) -> Int? {
        var low = 0
        var high = listeners.count
        while low < high {
            let middle = (low + high) / 2
            if listeners[middle].subscriber.number < subscriber.number { low = middle + 1 } else { high = middle }
        }
        if low < listeners.count, listeners[low].subscriber === subscriber { return low }
        return listeners.firstIndex { $0.subscriber === subscriber }
    }
}
