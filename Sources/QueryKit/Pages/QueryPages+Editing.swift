/// Edits of pages, for layers of mutations and for `updateValue`. QueryKit still knows which regions an edited page was read from.
///
/// ```swift
/// layers.update(History()) { pages in
///     pages.updateItems(
///         where: { $0.id == entry.id },
///         change: { $0.grams = grams }
///     )
/// }
/// ```
extension QueryPages {
    /// Changes the contents of the page with an id. Returns `false` if there is none.
    @discardableResult
    public mutating func updatePage(_ id: PageID, _ change: (inout PageValue) throws -> Void) rethrows -> Bool {
        try update(id, change)
    }

    /// Changes the contents of each page, from the first to the last.
    public mutating func updatePages(_ change: (inout PageValue) throws -> Void) rethrows {
        try updateEach { value in
            try change(&value)
            return true
        }
    }
}

extension QueryPages where PageValue: Collection {
    /// The items of all pages, in order.
    public var items: [PageValue.Element] { flatMap(\.value) }
}

extension QueryPages where PageValue: MutableCollection {
    /// Changes the items for which `condition` holds, on all pages, and returns their number.
    @discardableResult
    public mutating func updateItems(
        where condition: (PageValue.Element) throws -> Bool,
        change: (inout PageValue.Element) throws -> Void
    ) rethrows -> Int {
        try updateAndCount { try $0.update(where: condition, change) }
    }
}

extension QueryPages where PageValue: RangeReplaceableCollection {
    /// Removes the items for which `condition` holds, from all pages, and returns their number. A page that becomes empty is kept.
    @discardableResult
    public mutating func removeItems(where condition: (PageValue.Element) throws -> Bool) rethrows -> Int {
        try updateAndCount { try $0.remove(where: condition) }
    }
}

/// The same edits for pages that contain their items in a property, such as a response with a cursor.
///
/// ```swift
/// store.updateValue { pages in
///     pages.updateItems(
///         \.posts,
///         where: { $0.id == post.id },
///         change: { $0.isLiked = true }
///     )
/// }
/// ```
extension QueryPages {
    /// The items of all pages, in order. The key path leads from a page to its items.
    public func items<Items: Collection>(_ path: KeyPath<PageValue, Items>) -> [Items.Element] {
        flatMap { $0.value[keyPath: path] }
    }

    /// Changes the items for which `condition` holds, on all pages, and returns their number.
    @discardableResult
    public mutating func updateItems<Items: MutableCollection>(
        _ path: WritableKeyPath<PageValue, Items>,
        where condition: (Items.Element) throws -> Bool,
        change: (inout Items.Element) throws -> Void
    ) rethrows -> Int {
        try updateAndCount { try $0[keyPath: path].update(where: condition, change) }
    }

    /// Removes the items for which `condition` holds from all pages, and returns their number. A page that becomes empty is kept.
    @discardableResult
    public mutating func removeItems<Items: RangeReplaceableCollection>(
        _ path: WritableKeyPath<PageValue, Items>,
        where condition: (Items.Element) throws -> Bool
    ) rethrows -> Int {
        try updateAndCount { try $0[keyPath: path].remove(where: condition) }
    }

    /// Changes the pages for which `change` returns a number above 0, and returns the sum of these numbers.
    private mutating func updateAndCount(_ change: (inout PageValue) throws -> Int) rethrows -> Int {
        var count = 0
        try updateEach { value in
            let changed = try change(&value)
            count += changed
            return changed > 0
        }
        return count
    }
}

extension MutableCollection {
    /// Changes the elements for which `condition` holds, and returns their number.
    fileprivate mutating func update(
        where condition: (Element) throws -> Bool,
        _ change: (inout Element) throws -> Void
    ) rethrows -> Int {
        var count = 0
        var index = startIndex
        while index != endIndex {
            if try condition(self[index]) {
                try change(&self[index])
                count += 1
            }
            formIndex(after: &index)
        }
        return count
    }
}

extension RangeReplaceableCollection {
    /// Removes the elements for which `condition` holds, and returns their number.
    fileprivate mutating func remove(where condition: (Element) throws -> Bool) rethrows -> Int {
        let before = count
        try removeAll(where: condition)
        return before - count
    }
}
