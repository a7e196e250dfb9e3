/// One threshold, and whether what is measured is beyond it: a pure value.
struct AlertRule: Equatable, Sendable {
    /// An alert goes at this share of its threshold, so that one at the edge does not flicker.
    private static let clearingShare = 0.8

    let kind: QueryAlert.Kind
    /// `nil`: the rule is turned off.
    let threshold: Double?
    /// How many samples are too few to raise an alert.
    let neededSamples: Int
    private(set) var isRaised = false
    private(set) var measured = 0.0

    init(_ kind: QueryAlert.Kind, above threshold: Double?, neededSamples: Int = 1) {
        self.kind = kind
        self.threshold = threshold
        self.neededSamples = neededSamples
    }

    /// Takes a measurement; true if it raised the alert or cleared it.
    mutating func judge(_ measured: Double, samples: Int = 1) -> Bool {
        guard let threshold else { return false }
        self.measured = measured
        let wasRaised = isRaised
        if isRaised {
            isRaised = measured > threshold * Self.clearingShare
        } else if samples >= neededSamples {
            isRaised = measured > threshold
        }
        return isRaised != wasRaised
    }

    /// The alert as it stands or stood, for a prefix.
    func alert(for prefix: String?) -> QueryAlert {
        QueryAlert(kind: kind, prefix: prefix, measured: measured, threshold: threshold ?? .infinity)
    }
}

/// An alert that came or went.
struct AlertChange: Equatable, Sendable {
    let alert: QueryAlert
    let isRaised: Bool

    /// A rule whose judgement has just changed.
    init(_ rule: AlertRule, prefix: String?) {
        alert = rule.alert(for: prefix)
        isRaised = rule.isRaised
    }
}
