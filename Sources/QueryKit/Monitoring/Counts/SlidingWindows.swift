/// The share of bad items among the latest ones: among at least the last `span` items, and at most twice as many.
///
/// There are two generations: when the present one is full, it becomes the past one, and the previous past is discarded. So old history
/// does not hide current problems, and nothing is stored per item.
struct RateWindow: Equatable, Sendable {
    private var present = (all: 0, bad: 0)
    private var past = (all: 0, bad: 0)
    private let span: Int

    init(span: Int) { self.span = max(span, 1) }

    /// The number of items in the window.
    var count: Int { present.all + past.all }

    /// The share of bad items; zero if there are no items.
    var rate: Double { count == 0 ? 0 : Double(present.bad + past.bad) / Double(count) }

    mutating func note(isBad: Bool) {
        if present.all >= span {
            past = present
            present = (0, 0)
        }
        present.all += 1
        if isBad { present.bad += 1 }
    }

    static func == (left: RateWindow, right: RateWindow) -> Bool {
        left.present == right.present && left.past == right.past && left.span == right.span
    }
}

/// The durations of the latest items, in two generations like ``RateWindow``.
struct LatencyWindow: Equatable, Sendable {
    private var present = LatencyHistogram()
    private var past = LatencyHistogram()
    private let span: Int

    init(span: Int) { self.span = max(span, 1) }

    var count: Int { present.count + past.count }

    mutating func note(nanoseconds: Int64) {
        if present.count >= span {
            swap(&present, &past)
            present.removeAll()
        }
        present.note(nanoseconds: nanoseconds)
    }

    func quantile(_ share: Double) -> Duration? {
        var both = present
        both.merge(past)
        return both.quantile(share)
    }
}
