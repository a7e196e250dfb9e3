/// What share of the latest things was bad: the last `span` of them at least, and twice as many at most.
///
/// Two generations take turns: when the present one is full, it becomes the past one, and what was past is forgotten. So old history
/// does not hide what is wrong now, and nothing is kept for each thing.
struct RateWindow: Equatable, Sendable {
    private var present = (all: 0, bad: 0)
    private var past = (all: 0, bad: 0)
    private let span: Int

    init(span: Int) { self.span = max(span, 1) }

    /// How many things the rate is about.
    var count: Int { present.all + past.all }

    /// The share of the bad ones; zero without any.
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

/// How long the latest things took, in two generations like ``RateWindow``.
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
