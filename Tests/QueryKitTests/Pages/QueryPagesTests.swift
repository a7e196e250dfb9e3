import Foundation
import TestSupport
import Testing

@testable import QueryKit

struct QueryPagesTests {
    private typealias Pages = QueryPages<Int, [Int]>
    private typealias Page = QueryPage<Int, [Int]>

    private let pages = Pages([Page(id: 1, value: [10, 11]), Page(id: 2, value: []), Page(id: 3, value: [30])], nextPageID: 4)

    @Test func `R25 pages are a collection, indexed by position and by id`() {
        #expect(pages.count == 3)
        #expect(pages.map(\.id) == [1, 2, 3])
        #expect(pages[2].value == [30])
        #expect(pages[id: 3] == [30])
        #expect(pages[id: 4] == nil)
        #expect(pages.items == [10, 11, 30])
        #expect(pages.hasNext && !pages.hasPrevious)
        #expect(pages.reversed().map(\.id) == [3, 2, 1])
    }

    @Test func `R25 bad input: of pages with equal ids the first is kept, and a next id that already exists is ignored`() {
        let pages = Pages(
            [Page(id: 1, value: [1]), Page(id: 2, value: [2]), Page(id: 1, value: [3])],
            nextPageID: 1,
            previousPageID: 2
        )
        #expect(pages.map(\.value) == [[1], [2]])
        #expect(!pages.hasNext && !pages.hasPrevious)
    }

    @Test func `R25 items are changed and removed on whichever page they are`() {
        var changed = pages
        #expect(changed.updateItems(where: { $0 % 10 == 0 }, change: { $0 += 5 }) == 2)
        #expect(changed.map(\.value) == [[15, 11], [], [35]])
        #expect(changed.removeItems { $0 > 11 } == 2)
        #expect(changed.map(\.value) == [[11], [], []])
        #expect(changed.updateItems(where: { _ in false }, change: { $0 = 0 }) == 0)
        #expect(changed.nextPageID == 4)
    }

    /// A response that stores its items beside a cursor. Counts how often the items are written.
    private struct Feed: Equatable {
        var posts: [Int] { didSet { writes += 1 } }
        var cursor: String?
        var writes = 0
    }

    @Test func `R25 items beside a cursor are read, changed and removed through a key path`() {
        let feeds = QueryPages(
            [
                QueryPage(id: "", value: Feed(posts: [10, 11], cursor: "a")),
                QueryPage(id: "a", value: Feed(posts: [], cursor: "b")),
                QueryPage(id: "b", value: Feed(posts: [30], cursor: "c")),
            ],
            nextPageID: "c"
        )
        var changed = feeds
        #expect(changed.items(\.posts) == [10, 11, 30])
        #expect(changed.updateItems(\.posts, where: { $0 % 10 == 0 }, change: { $0 += 5 }) == 2)
        #expect(changed.items(\.posts) == [15, 11, 35])
        #expect(changed.removeItems(\.posts, where: { $0 > 11 }) == 2)
        #expect(changed.map(\.value.posts) == [[11], [], []])
        #expect(changed.map(\.value.cursor) == ["a", "b", "c"])
        #expect(changed.nextPageID == "c")
        #expect(changed.updateItems(\.posts, where: { _ in false }, change: { $0 = 0 }) == 0)
        #expect(changed.removeItems(\.posts, where: { _ in false }) == 0)
        // A page without a matching item is unchanged, not a rewritten copy.
        #expect(changed.map { $0.value.writes == 0 } == [false, true, false])
        #expect(feeds.items(\.posts) == [10, 11, 30])
    }

    @Test func `R25 an error during an edit leaves the later items unchanged`() {
        var feeds = QueryPages((1...3).map { QueryPage(id: $0, value: Feed(posts: [$0])) })
        #expect(throws: TestError()) {
            try feeds.updateItems(
                \.posts,
                where: { _ in true },
                change: { item in
                    if item == 2 { throw TestError() }
                    item = 0
                }
            )
        }
        #expect(feeds.items(\.posts) == [0, 2, 3])
    }

    @Test func `R25 a page is edited by its id, and all pages one after the other`() {
        var changed = pages
        #expect(changed.updatePage(2) { $0.append(20) })
        #expect(!changed.updatePage(9) { $0 = [] })
        changed.updatePages { $0.insert(0, at: 0) }
        #expect(changed.map(\.value) == [[0, 10, 11], [0, 20], [0, 30]])
    }

    @Test func `R25 an edit keeps a page's regions, and equality ignores them`() {
        var reads = RegionSet()
        reads.insert(QueryRegion(source: "library"))
        let read = Pages([Page(id: 1, value: [1], reads: reads)])
        var edited = read
        edited.updateItems(where: { _ in true }, change: { $0 = 2 })
        #expect(edited[0].reads == reads)
        #expect(read != edited)
        #expect(read == Pages([Page(id: 1, value: [1])]))
        #expect(read != Pages([Page(id: 1, value: [1])], nextPageID: 2))
        #expect(read != Pages([Page(id: 2, value: [1])]))
    }

    @Test func `R25 a page written by its id or position keeps its id, position and regions`() {
        var reads = RegionSet()
        reads.insert(QueryRegion(source: "library"))
        let read = Pages([Page(id: 1, value: [1], reads: reads), Page(id: 2, value: [2], reads: reads)], nextPageID: 3, previousPageID: 0)
        var written = read
        written[id: 2]?.append(20)
        written[0].value.append(10)
        #expect(written == Pages([Page(id: 1, value: [1, 10]), Page(id: 2, value: [2, 20])], nextPageID: 3, previousPageID: 0))
        written[id: 1] = []
        // Of a page from elsewhere with the same id only the value is used.
        written[1] = Page(id: 2, value: [-2])
        #expect(written.map(\.value) == [[], [-2]])
        #expect(written.map(\.reads) == [reads, reads])
        #expect(!written.reads.isPartlyUnknown && written.reads.regions == reads)
        #expect(written[id: 1] == [] && written[id: 2] == [-2])
        #expect(read.map(\.value) == [[1], [2]])
    }

    @Test func `R25 bad input: assigning nil, an unknown id or a page with another id is ignored`() {
        var written = pages
        written[id: 2] = nil
        written[id: 9] = [90]
        written[id: 9]?.append(90)
        written[id: 4] = [40]
        written[0] = Page(id: 9, value: [90])
        written[0] = Page(id: 2, value: [20])
        #expect(written == pages)
        #expect(written[id: 1] == [10, 11] && written[id: 2] == [] && written[id: 9] == nil)
    }

    @Test func `R25 mapped pages keep their ids, the ids of their neighbors, and their regions`() throws {
        let regions = (1...3).map { number in
            var set = RegionSet()
            set.insert(QueryRegion(source: "library", name: "pages", partition: "\(number)"))
            return set
        }
        let read = Pages([Page(id: 1, value: [1], reads: regions[0]), Page(id: 2, value: [2, 20])], nextPageID: 3, previousPageID: 0)
        let mapped: QueryPages<Int, String> = read.mapValues { $0.map(String.init).joined(separator: "+") }
        #expect(mapped == QueryPages([QueryPage(id: 1, value: "1"), QueryPage(id: 2, value: "2+20")], nextPageID: 3, previousPageID: 0))
        #expect(mapped.map(\.reads) == [regions[0], nil])
        #expect(mapped.reads.isPartlyUnknown && mapped.reads.regions == regions[0])
        #expect(mapped[id: 2] == "2+20" && mapped[id: 3] == nil)
        #expect(throws: TestError()) { try read.mapValues { _ in throw TestError() } as Pages }
        // They grow at both ends like the original pages, whose positions in the tree they have.
        var grown = Pages([])
        for id in [3, 4] { grown.add(AnyPage(Page(id: id, value: [id])), id, at: .last) }
        for id in [2, 1] { grown.add(AnyPage(Page(id: id, value: [id])), id, at: .first) }
        var doubled = grown.mapValues { $0 + $0 }
        doubled.add(AnyPage(Page(id: 0, value: [0])), 0, at: .first, limit: 4)
        doubled.add(AnyPage(Page(id: 1, value: [7])), 1, at: .last)
        #expect(doubled.map(\.value) == [[0], [1, 1], [2, 2], [3, 3]])
        #expect(doubled[id: 4] == nil && doubled[id: 1] == [1, 1])
    }

    @Test func `R25 pages are encoded without their regions`() throws {
        let data = try JSONEncoder().encode(Pages([Page(id: 1, value: [1], reads: RegionSet())], nextPageID: 2, previousPageID: 0))
        let decoded = try JSONDecoder().decode(Pages.self, from: data)
        #expect(decoded == Pages([Page(id: 1, value: [1])], nextPageID: 2, previousPageID: 0))
        #expect(decoded[0].reads == nil)
        // Decoded pages may have been written by other code.
        let odd = Data(#"{"pages":[{"id":1,"value":[1]},{"id":1,"value":[2]}],"nextPageID":1}"#.utf8)
        #expect(try JSONDecoder().decode(Pages.self, from: odd) == Pages([Page(id: 1, value: [1])]))
    }

    @Test func `R25 an edit shares the pages that it doesn't change`() {
        let long = Pages((0..<1_000).map { Page(id: $0, value: [$0]) })
        var edited = long
        #expect(edited.updatePage(500) { $0 = [-1] })
        #expect(edited.updateItems(where: { $0 == 501 }, change: { $0 = -2 }) == 1)
        #expect(edited.removeItems { $0 == 502 } == 1)
        #expect(edited.updateItems(where: { _ in false }, change: { $0 = 0 }) == 0)
        #expect(edited.removeItems { _ in false } == 0)
        #expect(long.indices.count { edited.anyPage(at: $0).isSame(as: long.anyPage(at: $0)) } == 997)
        #expect(edited[500].value == [-1] && edited[501].value == [-2] && edited[502].value == [])
        #expect(edited[id: 501] == [-2] && long[id: 501] == [501])
        #expect(edited != long)
    }

    @Test func `R25 pages are printed as pages, without their storage`() {
        let text = String(describing: Pages([Page(id: 1, value: [1])], nextPageID: 2))
        #expect(text.hasPrefix("QueryPages<Int, Array<Int>>(pages: [QueryKit.QueryPage<"))
        #expect(text.hasSuffix("nextPageID: Optional(2), previousPageID: nil)"))
    }

    @Test func `R15 R25 the byte estimate includes all pages`() {
        let small = Pages([Page(id: 1, value: [1])])
        let large = Pages((1...10).map { Page(id: $0, value: Array(repeating: 0, count: 1_000)) })
        #expect(ByteEstimate.of(large) > 80_000)
        #expect(ByteEstimate.of(small) < 500)
        // Pages of plain numbers also take memory.
        let numbers = QueryPages((0..<1_000).map { QueryPage(id: $0, value: $0) })
        #expect((30_000..<200_000).contains(ByteEstimate.of(numbers)))
    }
}
