/// The links of one slot in a list. The list is in order of use and needs no object per entry.
struct StoreLinks {
    static let none = UInt32.max
    var previous = none
    var next = none
}

/// A doubly linked list of slot numbers. The links are stored with the slots.
struct StoreList {
    /// The least recently used slot.
    private(set) var oldest = StoreLinks.none
    private(set) var newest = StoreLinks.none
    private(set) var count = 0

    mutating func append(_ number: UInt32, _ links: inout [StoreLinks]) {
        links[Int(number)] = StoreLinks(previous: newest)
        if newest == StoreLinks.none { oldest = number } else { links[Int(newest)].next = number }
        newest = number
        count += 1
    }

    mutating func remove(_ number: UInt32, _ links: inout [StoreLinks]) {
        let link = links[Int(number)]
        if link.previous == StoreLinks.none { oldest = link.next } else { links[Int(link.previous)].next = link.next }
        if link.next == StoreLinks.none { newest = link.previous } else { links[Int(link.next)].previous = link.previous }
        links[Int(number)] = StoreLinks()
        count -= 1
    }

    func forEach(_ links: [StoreLinks], _ body: (UInt32) -> Void) {
        var number = oldest
        while number != StoreLinks.none {
            body(number)
            number = links[Int(number)].next
        }
    }
}
