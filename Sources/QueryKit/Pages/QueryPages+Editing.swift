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
        try update(id, change)
    }

    /// Changes what is on each page, from the first to the last.
    public mutating func updatePages(_ change: (inout PageValue) throws -> Void) rethrows {
        try updateEach { value in
            try change(&value)
            return true
        }
    }
}

extension QueryPages where PageValue: Collection {
    /// The items of all pages, one after the other.
    public var items: [PageValue.Element] {
        var items: [PageValue.Element] = []
        visit { items.append(contentsOf: $0.value) }
        return items
    }
}

extension QueryPages where PageValue: MutableCollection {
    /// Changes the items for which `condition` holds, on whatever pages; answers with their number.
    @discardableResult
    public mutating func updateItems(
        where condition: (PageValue.Element) throws -> Bool,
        change: (inout PageValue.Element) throws -> Void
    ) rethrows -> Int {
        var count = 0
        try updateEach { items in
            let before = count
            var index = items.startIndex
            while index != items.endIndex {
                if try condition(items[index]) {
                    try change(&items[index])
                    count += 1
                }
                items.formIndex(after: &index)
            }
            return count > before
        }
        return count
    }
}

extension QueryPages where PageValue: RangeReplaceableCollection {
    /// Removes the items for which `condition` holds, from whatever pages; answers with their number. A page that becomes empty stays.
    @discardableResult
    public mutating func removeItems(where condition: (PageValue.Element) throws -> Bool) rethrows -> Int {
        var count = 0
        try updateEach { items in
            let before = items.count
            try items.removeAll(where: condition)
            count += before - items.count
            return items.count != before
        }
        return count
    }
}
