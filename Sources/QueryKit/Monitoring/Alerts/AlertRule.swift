/// One threshold, and whether the measured value exceeds it. A pure value.
struct AlertRule: Equatable, Sendable {
    /// An alert is cleared at this share of its threshold, so that values near the threshold don't make it flicker.
    private static let clearingShare = 0.8

    let kind: QueryAlert.Kind
    /// `nil` if the rule is turned off.
    let threshold: Double?
    /// The minimum number of samples for raising an alert.
    let neededSamples: Int
    private(set) var isRaised = false
    private(set) var measured = 0.0

    init(_ kind: QueryAlert.Kind, above threshold: Double?, neededSamples: Int = 1) {
        self.kind = kind
        self.threshold = threshold
        self.neededSamples = neededSamples
    }

    /// Evaluates a measured value. Returns `true` if that raised or cleared the alert.
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

    /// The rule's alert for a prefix, with the latest measured value.
    func alert(for prefix: String?) -> QueryAlert {
        QueryAlert(kind: kind, prefix: prefix, measured: measured, threshold: threshold ?? .infinity)
    }
}

/// An alert that was raised or cleared.
struct AlertChange: Equatable, Sendable {
    let alert: QueryAlert
    let isRaised: Bool

    /// Creates the change of a rule whose alert was just raised or cleared.
    init(_ rule: AlertRule, prefix: String?) {
        alert = rule.alert(for: prefix)
        isRaised = rule.isRaised
    }
}
