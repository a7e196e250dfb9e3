/// Determines, with the store's lock held, the order in which the store's changes reach its subscribers. The deliveries themselves take
/// place without the lock.
///
/// The first thread that posts a delivery carries it out, and continues until none is left; threads that post in between only enqueue
/// theirs. So subscribers receive everything in order and one event at a time, without a lock or an allocation for each.
struct Outbox: Sendable {
    /// A subscriber whose handler is still being called with its first state. Deliveries posted in between wait in its backlog.
    private struct Joining: Sendable {
        let subscriber: any Subscriber
        var settings: RequestSettings
        /// Each delivery, with the settings that the subscriber had when it was posted.
        var backlog: [Missed] = []
    }

    /// A subscriber, and the number of the last delivery before it joined.
    struct Listener: Sendable {
        let subscriber: any Subscriber
        /// The settings of the request that it subscribed with.
        var settings: RequestSettings
        let since: Int
    }

    /// A delivery that a joining subscriber hasn't received yet, and the settings for it.
    struct Missed: Sendable {
        let delivery: Delivery
        let settings: RequestSettings
    }

    /// The registration of a listener; registrations are in the order of the numbers. Vacant ones are kept until they are the majority, so
    /// that removing a listener costs little.
    struct Registration: Sendable {
        let number: UInt32
        var listener: Listener?
    }

    private(set) var registrations: [Registration] = []
    private var goneCount = 0
    private var joining: [Joining] = []
    private var queue = DeliveryQueue<Delivery>()
    private var lastNumber = 0

    // MARK: Deliveries

    /// Whether a handler is being called or about to be called.
    var isBusy: Bool { queue.isBusy || !joining.isEmpty }

    /// Whether the last delivery is under way.
    var isLastTurn: Bool { queue.isBusy && queue.isEmpty && joining.isEmpty }

    /// Whether there are no deliveries and no registrations.
    var isAtRest: Bool { !isBusy && registrations.isEmpty }

    /// Whether there are subscribers, including joining ones.
    var hasObservers: Bool { registrations.count > goneCount || !joining.isEmpty }

    /// The number for the next delivery, which the caller must post.
    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Enqueues a delivery. If a delivery is returned, the caller has to carry it out.
    mutating func post(_ delivery: Delivery) -> Delivery? {
        for index in joining.indices {
            joining[index].backlog.append(Missed(delivery: delivery, settings: joining[index].settings))
            delivery.awaitAnotherTurn()
        }
        let first = queue.enter(delivery)
        first?.begin(for: registrations)
        return first
    }

    /// Begins the delivery of one event that isn't posted. Returns the listeners, which the caller notifies before it calls ``next()``;
    /// `nil` if another thread delivers.
    mutating func beginDelivery() -> [Registration]? {
        guard !isBusy else { return nil }
        lastNumber += 1
        queue.begin()
        return registrations
    }

    /// The next delivery; `nil` when all are carried out. After `nil`, the next thread that posts a delivery carries it out.
    mutating func next() -> Delivery? {
        let next = queue.next()
        next?.begin(for: registrations)
        return next
    }

    // MARK: Subscribers

    mutating func join(_ subscriber: any Subscriber, _ settings: RequestSettings) {
        let new = Joining(subscriber: subscriber, settings: settings)
        // Creating an array of one element takes half as long as appending to an empty one.
        if joining.isEmpty { joining = [new] } else { joining.append(new) }
    }

    /// The settings of all observers, in the order in which they joined.
    var observers: [RequestSettings] { numberedObservers.map(\.settings) }

    var numberedObservers: [(number: UInt32, settings: RequestSettings)] {
        registrations.compactMap(\.listener).filter(\.subscriber.isObserver).map { ($0.subscriber.number, $0.settings) }
            + joining.filter(\.subscriber.isObserver).map { ($0.subscriber.number, $0.settings) }
    }

    /// Whether there is an observer whose settings satisfy a condition.
    @inline(__always)
    func containsObserver(where isWanted: (RequestSettings) -> Bool) -> Bool {
        for registration in registrations {
            if let listener = registration.listener, listener.subscriber.isObserver, isWanted(listener.settings) { return true }
        }
        for joining in joining where joining.subscriber.isObserver && isWanted(joining.settings) { return true }
        return false
    }

    /// The settings of the latest observer.
    var latestObserver: RequestSettings? {
        joining.last(where: \.subscriber.isObserver)?.settings
            ?? registrations.last { $0.listener?.subscriber.isObserver == true }?.listener?.settings
    }

    /// The settings of one subscriber.
    func settings(of subscriber: any Subscriber) -> RequestSettings? {
        joining.first { $0.subscriber === subscriber }?.settings ?? index(of: subscriber).flatMap { registrations[$0].listener?.settings }
    }

    /// Fixes the listeners and settings of all waiting deliveries, because they were published before the new session.
    func endSession() {
        queue.visit { $0.begin(for: registrations) }
    }

    /// Replaces the settings of the subscribers for which a closure returns new ones.
    mutating func replaceSettings(_ replacement: (any Subscriber, RequestSettings) -> RequestSettings?) {
        for index in joining.indices {
            if let new = replacement(joining[index].subscriber, joining[index].settings) { joining[index].settings = new }
        }
        for index in registrations.indices {
            guard let listener = registrations[index].listener else { continue }
            if let new = replacement(listener.subscriber, listener.settings) { registrations[index].listener?.settings = new }
        }
    }

    /// The next delivery that a joining subscriber has missed. Returns `nil` once it is up to date, and makes it an ordinary listener.
    mutating func catchUp(_ subscriber: any Subscriber) -> Missed? {
        guard let index = joining.firstIndex(where: { $0.subscriber === subscriber }) else { return nil }
        if !joining[index].backlog.isEmpty { return joining[index].backlog.removeFirst() }
        let joined = joining.remove(at: index)
        if joining.isEmpty { joining = [] }
        let listener = Listener(subscriber: subscriber, settings: joined.settings, since: lastNumber)
        let registration = Registration(number: subscriber.number, listener: listener)
        if registrations.isEmpty { registrations = [registration] } else { registrations.append(registration) }
        return nil
    }

    /// Removes a listener and returns its settings. A subscriber that is still joining stays until it is up to date.
    mutating func remove(_ subscriber: any Subscriber) -> RequestSettings? {
        guard let index = index(of: subscriber) else { return settings(of: subscriber) }
        let settings = registrations[index].listener?.settings
        registrations[index].listener = nil
        goneCount += 1
        if goneCount == registrations.count { (registrations, goneCount) = ([], 0) }
        guard goneCount > 8, goneCount * 2 > registrations.count else { return settings }
        registrations.removeAll { $0.listener == nil }
        goneCount = 0
        return settings
    }

    /// Binary search by number. Listeners that joined at the same time may be out of order, so if it fails, all are compared.
    private func index(of subscriber: any Subscriber) -> Int? {
        let number = subscriber.number
        var low = 0
        var high = registrations.count
        while low < high {
            let middle = (low + high) / 2
            if registrations[middle].number < number { low = middle + 1 } else { high = middle }
        }
        if low < registrations.count, registrations[low].listener?.subscriber === subscriber { return low }
        return registrations.firstIndex { $0.listener?.subscriber === subscriber }
    }
}
