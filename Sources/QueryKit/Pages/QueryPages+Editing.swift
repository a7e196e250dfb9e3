/// Changes inside of pages, for layers of mutations and for `updateValue`. What a page was read from stays known.
///
/// ```swift
/// layers.update(History()) { pages in
///     pages.updateItems(where: { $0.id == entry.id }, change: { $0.grams = grams })
/// }
/// ```
extension QueryPages {
    /// Changes what is on the page with an id; `false` if that is not there.
    @discardableResult
    public mutating func updatePage(_ id: PageID, _ change: (inout PageValue) throws -> Void) rethrows -> Bool {
        guard let position = position(of: id) else { return false }
        try change(&pages[position].value)
        return true
    }

    /// Changes what is on each page, from the first to the last.
    public mutating func updatePages(_ change: (inout PageValue) throws -> Void) rethrows {
        for position in pages.indices { try change(&pages[position].value) }
    }
}

extension QueryPages where PageValue: Collection {
    /// The items of all pages, one after the other.
    public var items: [PageValue.Element] { pages.flatMap(\.value) }
}

extension QueryPages where PageValue: MutableCollection {
    /// Changes the items for which `condition` holds, on whatever pages; answers with their number.
    @discardableResult
    public mutating func updateItems(
        where condition: (PageValue.Element) throws -> Bool,
        change: (inout PageValue.Element) throws -> Void
    ) rethrows -> Int {
        var count = 0
        for position in pages.indices {
            var index = pages[position].value.startIndex
            while index != pages[position].value.endIndex {
                if try condition(pages[position].value[index]) {
                    try change(&pages[position].value[index])
                    count += 1
                }
                pages[position].value.formIndex(after: &index)
            }
        }
        return count
    }
}

extension QueryPages where PageValue: RangeReplaceableCollection {
    /// Removes the items for which `condition` holds, from whatever pages; answers with their number. A page that becomes empty stays.
    @discardableResult
    public mutating func removeItems(where condition: (PageValue.Element) throws -> Bool) rethrows -> Int {
        var count = 0
        for position in pages.indices {
            let before = pages[position].value.count
            try pages[position].value.removeAll(where: condition)
            count += before - pages[position].value.count
        }
        return count
    }
}
