/// The bytes of a text that a database has returned. Databases don't always check that a text is valid UTF-8.
@usableFromInline
package enum TextBytes {
    /// The text; `nil` if the bytes are not valid UTF-8.
    @inlinable
    package static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        // Decoding replaces invalid UTF-8. Then the bytes of the text differ from the original bytes.
        return isASCII(bytes) || has(text, bytes) ? text : nil
    }

    /// Whether all bytes are ASCII, compared eight at a time. Such a text is valid.
    @inlinable
    static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let raw = UnsafeRawBufferPointer(bytes)
        var index = 0
        var all: UInt64 = 0
        while index + 8 <= raw.count {
            all |= raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < raw.count {
            all |= UInt64(raw[index])
            index += 1
        }
        return all & 0x8080_8080_8080_8080 == 0
    }

    @usableFromInline
    static func has(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var text = text
        return text.withUTF8 { $0.elementsEqual(bytes) }
    }
}
