/// What has changed: some regions, or possibly everything.
enum RegionChanges: Sendable {
    case some(RegionSet)
    case anything

    static let nothing = RegionChanges.some(RegionSet())

    /// The regions; `nil` if anything may have changed.
    var regions: [QueryRegion]? { if case .some(let set) = self { set.regions } else { nil } }

    mutating func add(_ regions: [QueryRegion]) {
        guard case .some(var set) = self else { return }
        for region in regions { set.insert(region) }
        self = .some(set)
    }

    /// Adds the changes of another value.
    mutating func merge(_ other: RegionChanges) {
        switch other {
        case .anything: self = .anything
        case .some(let set): add(set.regions)
        }
    }
}
