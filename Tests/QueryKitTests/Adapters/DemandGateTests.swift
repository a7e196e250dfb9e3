import Testing

@testable import QueryKit

struct DemandGateTests {
    private var gate = DemandGate<Int>()

    @Test mutating func `an element is held until it is demanded, and only the newest is kept`() {
        #expect(gate.put(1) == (nil, nil))
        #expect(gate.put(2) == (nil, 1))
        #expect(gate.request(for: 1) == 2)
        #expect(gate.next(demanding: 0) == nil)
        #expect(gate.put(3) == (nil, nil))
    }

    @Test mutating func `elements are delivered one at a time, even if more arrive or are demanded during a delivery`() {
        #expect(gate.request(for: 5) == nil)
        #expect(gate.put(1) == (1, nil))
        #expect(gate.put(2) == (nil, nil))
        #expect(gate.put(3) == (nil, 2))
        #expect(gate.request(for: 1) == nil)
        #expect(gate.next(demanding: 0) == 3)
        #expect(gate.next(demanding: 0) == nil)
        #expect(gate.put(4) == (4, nil))
    }

    @Test mutating func `each delivered element uses up one unit of demand`() {
        #expect(gate.request(for: 2) == nil)
        #expect(gate.put(1) == (1, nil))
        #expect(gate.next(demanding: 0) == nil)
        #expect(gate.put(2) == (2, nil))
        #expect(gate.next(demanding: 0) == nil)
        #expect(gate.put(3) == (nil, nil))
        #expect(gate.request(for: 0) == nil)
        #expect(gate.request(for: 1) == 3)
        #expect(gate.next(demanding: 1) == nil)
        #expect(gate.put(4) == (4, nil))
    }

    @Test mutating func `unlimited demand never runs out`() {
        #expect(gate.request(for: 3) == nil)
        #expect(gate.request(for: .max) == nil)
        #expect(gate.request(for: .max) == nil)
        for element in 0..<10 {
            #expect(gate.put(element) == (element, nil))
            #expect(gate.next(demanding: 0) == nil)
        }
    }

    @Test mutating func `a closed gate delivers nothing`() {
        #expect(gate.put(1) == (nil, nil))
        #expect(gate.close() == 1)
        #expect(gate.isClosed)
        #expect(gate.request(for: 1) == nil)
        #expect(gate.put(2) == (nil, 2))
        #expect(gate.next(demanding: 1) == nil)
        #expect(gate.close() == nil)
    }
}
