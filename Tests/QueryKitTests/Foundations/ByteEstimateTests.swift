import Foundation
import Testing

@testable import QueryKit

struct ByteEstimateTests {
    private struct Image: ByteEstimating {
        let heapByteCount: Int
    }

    private struct Opaque {
        let first = 1
        let second = 2
    }

    private let long = String(repeating: "x", count: 1_000)

    @Test func `the estimate of a plain value is its layout size`() {
        #expect(ByteEstimate.of(5) == MemoryLayout<Int>.size)
        #expect(ByteEstimate.of(Opaque()) == 16)
        #expect(ByteEstimate.of("short") == MemoryLayout<String>.size)
        #expect(ByteEstimate.of(Data([1, 2])) == MemoryLayout<Data>.size)
    }

    /// Values that hold references.
    private func heap<Value>(_ value: Value) -> Int { ByteEstimate.of(value) - MemoryLayout<Value>.size }

    @Test func `the estimate of a long string or data includes its contents`() {
        #expect((1_000...1_100).contains(heap(long)))
        #expect((1_000...1_100).contains(heap(Data(repeating: 1, count: 1_000))))
        #expect(heap(String(repeating: "ü", count: 1_000)) >= 2_000)
    }

    @Test func `a custom type can report its size`() {
        #expect(heap(Image(heapByteCount: 5_000)) == 5_000)
        #expect(heap(Optional(Image(heapByteCount: 5_000))) == 5_000)
        #expect(heap(Image?.none) == 0)
        #expect(heap([Image(heapByteCount: 5_000)]) >= 5_000)
    }

    @Test func `the contents of optionals and nested collections are included`() {
        #expect((1_000...1_100).contains(heap(Optional(long))))
        #expect(heap(String?.none) == 0)
        #expect(heap([Optional(long)]) >= 1_000)
        #expect(heap(["a": [long]]) >= 1_000)
        #expect(heap(["a": [long: [0]]]) >= 1_000)
    }

    @Test func `the estimate of a collection includes its storage and its elements' contents`() {
        #expect(heap([Int](repeating: 0, count: 1_000)) >= 8_000)
        #expect(heap([Int](repeating: 0, count: 1_000)) < 9_000)
        #expect(heap([String](repeating: long, count: 100)) >= 100 * (1_000 + 16))
        #expect(heap(Set((0..<100).map { long + "\($0)" })) >= 100_000)
        #expect(heap([long: "a"]) >= 1_000)
        #expect(heap([[Int](repeating: 0, count: 100)]) >= 800)
        #expect(heap([Opaque]()) < 100)
    }

    @Test func `a long list is estimated from a sample`() {
        let images = Array(repeating: Image(heapByteCount: 10), count: 16) + Array(repeating: Image(heapByteCount: 1_000_000), count: 16)
        // Only the first sixteen elements are measured, and represent all 32.
        let storage = 32 + images.capacity * MemoryLayout<Image>.stride
        #expect(heap(images) == storage + 320)
    }

    @Test func `absurd sizes reported by types don't overflow`() {
        let images = Array(repeating: Image(heapByteCount: .max / 2), count: 100)
        #expect(heap(images) > 0)
        #expect(heap([images, images]) > 0)
        #expect(heap(Image(heapByteCount: -5)) == 0)
    }
}
