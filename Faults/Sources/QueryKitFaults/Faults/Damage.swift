/// Kinds of damage to the bytes of a file.
enum Damage {
    /// Damages a file in a random way, and returns a description of the damage.
    static func apply(to bytes: inout [UInt8], _ dice: inout Dice) -> String {
        guard !bytes.isEmpty else {
            bytes = dice.bytes(dice.below(5_000))
            return "random bytes"
        }
        switch dice.below(10) {
        case 0...2:
            let count = 1 + dice.below(16)
            for _ in 0..<count { flip(&bytes, in: 0..<bytes.count, &dice) }
            return "\(count) bits flipped"
        case 3:
            flip(&bytes, in: 0..<min(100, bytes.count), &dice)
            return "a bit of the header flipped"
        case 4:
            // The header of a page contains the positions of its cells.
            let page = dice.below(max(1, bytes.count / 4_096)) * 4_096
            for _ in 0..<4 { flip(&bytes, in: page..<min(page + 16, bytes.count), &dice) }
            return "the header of a page flipped"
        case 5:
            bytes.removeLast(dice.below(bytes.count))
            return "cut off"
        case 6:
            bytes.removeLast(min(bytes.count / 4_096, 1 + dice.below(8)) * 4_096)
            return "whole pages cut off"
        case 7:
            let page = page(&dice, bytes)
            for index in page { bytes[index] = 0 }
            return "a page of zeros"
        case 8:
            let page = page(&dice, bytes)
            for (index, byte) in zip(page, dice.bytes(page.count)) { bytes[index] = byte }
            return "a page of random bytes"
        default:
            let (from, to) = (page(&dice, bytes), page(&dice, bytes))
            let copy = Array(bytes[from])
            for (index, byte) in zip(to, copy) { bytes[index] = byte }
            return "a page overwritten with another"
        }
    }

    private static func page(_ dice: inout Dice, _ bytes: [UInt8]) -> Range<Int> {
        let start = dice.below((bytes.count + 4_095) / 4_096) * 4_096
        return start..<min(start + 4_096, bytes.count)
    }

    private static func flip(_ bytes: inout [UInt8], in range: Range<Int>, _ dice: inout Dice) {
        guard !range.isEmpty else { return }
        bytes[range.lowerBound + dice.below(range.count)] ^= 1 << UInt8(dice.below(8))
    }
}
