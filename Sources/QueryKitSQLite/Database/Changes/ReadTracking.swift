import QueryKit

/// Somebody who wants to know what a read looks at. The database calls it; what it is told of is no business of the database.
protocol ReadObserver: Sendable {
    /// Rows of these regions are about to be read. Called on the thread of a connection.
    func note(_ list: RegionList)

    /// These regions had changed between the beginning of the read and the note, so that nobody knew of it. Called when the read is over.
    func outdate(_ regions: [SQLiteRegion])
}

/// What one transaction reads.
///
/// A read tells its observer before it looks. Its snapshot is older than the notes of its later statements, and a change in between reaches nobody,
/// since nobody was known to read the region yet; so the feed is asked for it after each note. A write only collects: it sees its own change, and
/// is told of as a reader when that change is out.
final class ReadTracking {
    private let observer: (any ReadObserver)?
    private let feed: ChangeFeed?
    private let start: UInt64
    /// What was noted first, which is mostly all.
    private var first: RegionList?
    private var others: Set<SQLiteRegion> = []
    /// What the observer has to be told when the read is over.
    private(set) var missed: [SQLiteRegion] = []

    /// For a read; made before the snapshot is taken.
    init(_ observer: any ReadObserver, _ feed: ChangeFeed) {
        self.observer = observer
        self.feed = feed
        start = feed.number
    }

    /// For a write.
    init() {
        observer = nil
        feed = nil
        start = 0
    }

    var collected: [SQLiteRegion] { (first?.regions ?? []) + others }

    func note(_ list: RegionList) {
        guard let first else {
            first = list
            return tell(list)
        }
        if first === list { return }
        let new = list.regions.filter { !first.regions.contains($0) && others.insert($0).inserted }
        if !new.isEmpty { tell(RegionList(new)) }
    }

    private func tell(_ list: RegionList) {
        guard let observer, let feed, !list.regions.isEmpty else { return }
        observer.note(list)
        missed += feed.changed(list.regions, since: start)
    }
}
