/// A key press.
package enum Key: Hashable, Sendable {
    case character(Character)
    case enter
    case escape
    case up, down, left, right
    /// Ctrl with a letter.
    case control(Character)

    /// The keys in the bytes that a terminal sent. Unknown sequences are ignored.
    package static func read(_ bytes: [UInt8]) -> [Key] {
        var keys: [Key] = []
        var rest = bytes[...]
        while let byte = rest.first {
            if byte == 0x1B {
                let (key, length) = escaped(rest)
                if let key { keys.append(key) }
                rest = rest.dropFirst(length)
            } else if byte == 0x0D || byte == 0x0A {
                keys.append(.enter)
                rest = rest.dropFirst()
            } else if (1...26).contains(byte) {
                keys.append(.control(Character(Unicode.Scalar(byte + 0x60))))
                rest = rest.dropFirst()
            } else {
                let length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
                keys += String(decoding: rest.prefix(length), as: UTF8.self).filter { $0 >= " " && $0 != "\u{7F}" }.map { .character($0) }
                rest = rest.dropFirst(length)
            }
        }
        return keys
    }

    /// A key that is sent as several bytes: `ESC [`, numbers, a letter.
    private static func escaped(_ bytes: ArraySlice<UInt8>) -> (key: Key?, length: Int) {
        let start = bytes.startIndex
        guard bytes.count > 1, bytes[start + 1] == 0x5B || bytes[start + 1] == 0x4F else { return (.escape, 1) }
        var index = start + 2
        while index < bytes.endIndex, !(0x40...0x7E).contains(bytes[index]) { index += 1 }
        guard index < bytes.endIndex else { return (nil, bytes.count) }
        let keys: [UInt8: Key] = [0x41: .up, 0x42: .down, 0x43: .right, 0x44: .left]
        return (keys[bytes[index]], index - start + 1)
    }
}
