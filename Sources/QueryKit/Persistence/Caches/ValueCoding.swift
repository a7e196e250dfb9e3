import Foundation

/// Encodes values as JSON. Infinities and NaN, which JSON lacks, are written as text, so that values with them can be cached.
enum ValueCoding {
    private static let infinity = (positive: "inf", negative: "-inf", nan: "nan")

    static func encode<Value: Encodable>(_ value: Value) throws -> Data {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: infinity.positive,
            negativeInfinity: infinity.negative,
            nan: infinity.nan
        )
        return try encoder.encode(value)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: infinity.positive,
            negativeInfinity: infinity.negative,
            nan: infinity.nan
        )
        return try decoder.decode(type, from: data)
    }
}
