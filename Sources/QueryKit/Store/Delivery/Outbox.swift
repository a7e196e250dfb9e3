/// The order in which a store's changes reach its subscribers, decided under the store's lock and carried out without it.
///
/// Whoever posts first delivers, and goes on until nothing is left; whoever posts meanwhile leaves the delivery behind and returns.
/// So subscribers hear everything in order and one thing at a time, without a lock or an allocation for each.
struct Outbox: Sendable {
    /// A subscriber that is still hearing the state it began with; what is posted meanwhile waits for it here.
    private struct Joining: Sendable {
        let subscriber: any Subscriber
        var settings: RequestSettings
        /// With the settings that counted when each was posted.
        var backlog: [Missed] = []
    }

    /// A subscriber, and the number of the last delivery that came before it.
    struct Listener: Sendable {
        let subscriber: any Subscriber
        /// The settings of the request with which it subscribed.
        var settings: RequestSettings
        let since: Int
    }

    /// A delivery that a joining subscriber has yet to hear, and with which settings.
    struct Missed: Sendable {
        let delivery: Delivery
        let settings: RequestSettings
    }

    /// A listener, in the order of the numbers. The places of those that have left stay until they are the majority, so that a departure costs little.
    struct Place: Sendable {
        let number: UInt32
        var listener: Listener?
    }

    private var places: [Place] = []
    private var goneCount = 0
    private var joining: [Joining] = []
    private var line = DeliveryLine<Delivery>()
    private var lastNumber = 0

    // MARK: Deliveries

    /// Whether someone is about to hear something.
    var isBusy: Bool { line.isBusy || !joining.isEmpty }

    /// Whether a delivery is under way that no other follows.
    var isLastTurn: Bool { line.isBusy && line.isEmpty && joining.isEmpty }

    /// Whether there is nothing to remember.
    var isAtRest: Bool { !isBusy && places.isEmpty }

    /// Whether anybody listens, or is about to.
    var isHeard: Bool { places.count > goneCount || !joining.isEmpty }

    /// The number for the next delivery, which has to be posted.
    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Puts a delivery in line; the caller carries out what comes back, if anything does.
    mutating func post(_ delivery: Delivery) -> Delivery? {
        for index in joining.indices {
            joining[index].backlog.append(Missed(delivery: delivery, settings: joining[index].settings))
            delivery.awaitAnotherTurn()
        }
        let first = line.enter(delivery)
        first?.begin(for: places)
        return first
    }

    /// Lets the caller deliver one event by itself, and says to whom; `nil` if someone else delivers. ``next()`` comes after it.
    mutating func beginDelivery() -> [Place]? {
        guard !isBusy else { return nil }
        lastNumber += 1
        line.begin()
        return places
    }

    /// The next delivery; `nil` when all are delivered. Then the next thread that posts delivers.
    mutating func next() -> Delivery? {
        let next = line.next()
        next?.begin(for: places)
        return next
    }

    // MARK: Subscribers

    mutating func join(_ subscriber: any Subscriber, _ settings: RequestSettings) {
        let new = Joining(subscriber: subscriber, settings: settings)
        // A list of one takes half as long as one that grows.
        if joining.isEmpty { joining = [new] } else { joining.append(new) }
    }

    /// The settings of all who observe, in the order in which they came.
    var observers: [RequestSettings] { numberedObservers.map(\.settings) }

    var numberedObservers: [(number: UInt32, settings: RequestSettings)] {
        places.compactMap(\.listener).filter(\.subscriber.isObserver).map { ($0.subscriber.number, $0.settings) }
            + joining.filter(\.subscriber.isObserver).map { ($0.subscriber.number, $0.settings) }
    }

    /// Whether someone who observes has settings of some kind.
    @inline(__always)
    func containsObserver(where isWanted: (RequestSettings) -> Bool) -> Bool {
        for place in places {
            if let listener = place.listener, listener.subscriber.isObserver, isWanted(listener.settings) { return true }
        }
        for joining in joining where joining.subscriber.isObserver && isWanted(joining.settings) { return true }
        return false
    }

    /// The settings of the observer that came last.
    var latestObserver: RequestSettings? {
        joining.last(where: \.subscriber.isObserver)?.settings
            ?? places.last { $0.listener?.subscriber.isObserver == true }?.listener?.settings
    }

    /// The settings of one subscriber.
    func settings(of subscriber: any Subscriber) -> RequestSettings? {
        joining.first { $0.subscriber === subscriber }?.settings ?? index(of: subscriber).flatMap { places[$0].listener?.settings }
    }

    /// Another session begins: what stands in line was published before, and is heard with the settings of that time.
    func endSession() {
        line.visit { $0.begin(for: places) }
    }

    /// Gives subscribers other settings, where a closure returns some.
    mutating func replaceSettings(_ replacement: (any Subscriber, RequestSettings) -> RequestSettings?) {
        for index in joining.indices {
            if let new = replacement(joining[index].subscriber, joining[index].settings) { joining[index].settings = new }
        }
        for index in places.indices {
            guard let listener = places[index].listener else { continue }
            if let new = replacement(listener.subscriber, listener.settings) { places[index].listener?.settings = new }
        }
    }

    /// What a joining subscriber missed while it was hearing something; `nil` once it is up to date and a listener like the others.
    mutating func catchUp(_ subscriber: any Subscriber) -> Missed? {
        guard let index = joining.firstIndex(where: { $0.subscriber === subscriber }) else { return nil }
        if !joining[index].backlog.isEmpty { return joining[index].backlog.removeFirst() }
        let joined = joining.remove(at: index)
        if joining.isEmpty { joining = [] }
        let listener = Listener(subscriber: subscriber, settings: joined.settings, since: lastNumber)
        let place = Place(number: subscriber.number, listener: listener)
        if places.isEmpty { places = [place] } else { places.append(place) }
        return nil
    }

    /// Removes a listener, and returns the settings of the subscriber. One that is still joining stays until it is up to date.
    mutating func remove(_ subscriber: any Subscriber) -> RequestSettings? {
        guard let index = index(of: subscriber) else { return settings(of: subscriber) }
        let settings = places[index].listener?.settings
        places[index].listener = nil
        goneCount += 1
        if goneCount == places.count { (places, goneCount) = ([], 0) }
        guard goneCount > 8, goneCount * 2 > places.count else { return settings }
        places.removeAll { $0.listener == nil }
        goneCount = 0
        return settings
    }

    /// Listeners stand in the order of their numbers, but for those that joined at the same time.
    private func index(of subscriber: any Subscriber) -> Int? {
        let number = subscriber.number
        var low = 0
        var high = places.count
        while low < high {
            let middle = (low + high) / 2
            if places[middle].number < number { low = middle + 1 } else { high = middle }
        }
        if low < places.count, places[low].listener?.subscriber === subscriber { return low }
        return places.firstIndex { $0.listener?.subscriber === subscriber }
    }
}
