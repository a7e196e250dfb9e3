import QueryKit

/// Somebody who wants to know what a read looks at. The database calls it; what it is told of is no business of the database.
protocol ReadObserver: Sendable {
    /// Rows of these regions are about to be read. Called on the thread of a connection.
    func note(_ regions: [SQLiteRegion])

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
    private var noted: Set<SQLiteRegion> = []
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

    var collected: [SQLiteRegion] { Array(noted) }

    func note(_ regions: [SQLiteRegion]) {
        let new = regions.filter { noted.insert($0).inserted }
        guard let observer, let feed, !new.isEmpty else { return }
        observer.note(new)
        missed += feed.changed(new, since: start)
    }
}
