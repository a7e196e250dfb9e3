// The parts of Foundation that QueryKit uses, with Apple's signatures and availability. Stubs only declare; they are never run. A missing
// declaration is reported as unknown: add it with the availability in its documentation.

// As in the SDK, importing Foundation also imports the C library.
@_exported import Darwin

public typealias TimeInterval = Double

public struct Date: Sendable, Hashable, Comparable, Codable {
    public init() { fatalError() }
    public init(timeIntervalSince1970: TimeInterval) { fatalError() }
    public init(timeIntervalSinceReferenceDate: TimeInterval) { fatalError() }
    public init(timeIntervalSinceNow: TimeInterval) { fatalError() }
    public init(timeInterval: TimeInterval, since date: Date) { fatalError() }
    public var timeIntervalSince1970: TimeInterval { fatalError() }
    public var timeIntervalSinceReferenceDate: TimeInterval { fatalError() }
    public var timeIntervalSinceNow: TimeInterval { fatalError() }
    public func timeIntervalSince(_ date: Date) -> TimeInterval { fatalError() }
    public func addingTimeInterval(_ interval: TimeInterval) -> Date { fatalError() }
    public mutating func addTimeInterval(_ interval: TimeInterval) {}
    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *) public func ISO8601Format() -> String { fatalError() }
    public static func < (left: Date, right: Date) -> Bool { fatalError() }
    public static func + (left: Date, right: TimeInterval) -> Date { fatalError() }
    public static func - (left: Date, right: TimeInterval) -> Date { fatalError() }
    public static func += (left: inout Date, right: TimeInterval) {}
    public static func -= (left: inout Date, right: TimeInterval) {}
    public static let distantPast = Date()
    public static let distantFuture = Date()
    @available(macOS 12, iOS 15, *)
    public static var now: Date { fatalError() }
}

@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
public protocol FormatStyle<FormatInput, FormatOutput>: Codable, Hashable {
    associatedtype FormatInput
    associatedtype FormatOutput
}
@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
extension Date {
    public struct ISO8601FormatStyle: FormatStyle, Sendable {
        public typealias FormatInput = Date
        public typealias FormatOutput = String
        public func year() -> ISO8601FormatStyle { self }
        public func month() -> ISO8601FormatStyle { self }
        public func day() -> ISO8601FormatStyle { self }
        public func time(includingFractionalSeconds: Bool) -> ISO8601FormatStyle { self }
    }
    public func formatted<Format: FormatStyle>(_ format: Format) -> Format.FormatOutput where Format.FormatInput == Date { fatalError() }
}
@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
extension FormatStyle where Self == Date.ISO8601FormatStyle {
    public static var iso8601: Date.ISO8601FormatStyle { fatalError() }
}

public struct DateComponents: Sendable, Hashable, Codable {
    public init() {}
    public init(year: Int?, month: Int?, day: Int?) {}
    public var year: Int?
    public var month: Int?
    public var day: Int?
    public var hour: Int?
    public var minute: Int?
    public var second: Int?
}

public struct DateInterval: Sendable, Hashable, Comparable, Codable {
    public init(start: Date, end: Date) { fatalError() }
    public init(start: Date, duration: TimeInterval) { fatalError() }
    public var start: Date
    public var end: Date
    public var duration: TimeInterval { fatalError() }
    public func contains(_ date: Date) -> Bool { fatalError() }
    public static func < (left: DateInterval, right: DateInterval) -> Bool { fatalError() }
}

public struct Calendar: Sendable, Hashable, Codable {
    public enum Identifier: Sendable, Hashable { case gregorian, iso8601 }
    public enum Component: Sendable, Hashable { case era, year, month, day, hour, minute, second, weekday }
    public init(identifier: Identifier) { fatalError() }
    public static var current: Calendar { fatalError() }
    public static var autoupdatingCurrent: Calendar { fatalError() }
    public var identifier: Identifier { fatalError() }
    public var timeZone: TimeZone
    public var locale: Locale?
    public var firstWeekday: Int
    public func startOfDay(for date: Date) -> Date { fatalError() }
    public func date(from components: DateComponents) -> Date? { nil }
    public func date(byAdding component: Component, value: Int, to date: Date, wrappingComponents: Bool = false) -> Date? { nil }
    public func dateComponents(_ components: Set<Component>, from date: Date) -> DateComponents { fatalError() }
    public func dateInterval(of component: Component, for date: Date) -> DateInterval? { nil }
    public func isDate(_ date: Date, inSameDayAs other: Date) -> Bool { false }
}

public struct TimeZone: Sendable, Hashable, Codable {
    public init?(identifier: String) { nil }
    public init?(secondsFromGMT: Int) { nil }
    public static var current: TimeZone { fatalError() }
    public static var autoupdatingCurrent: TimeZone { fatalError() }
    @available(macOS 13, iOS 16, *)
    public static var gmt: TimeZone { fatalError() }
    public var identifier: String { fatalError() }
    public func secondsFromGMT(for date: Date = Date()) -> Int { 0 }
    public func nextDaylightSavingTimeTransition(after date: Date) -> Date? { nil }
}

public struct Locale: Sendable, Hashable, Codable {
    public init(identifier: String) { fatalError() }
    public static var current: Locale { fatalError() }
    public static var autoupdatingCurrent: Locale { fatalError() }
    public var identifier: String { fatalError() }
}

public struct Data: Sendable, Hashable, Codable, RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
    public typealias Index = Int
    public init() {}
    public init(count: Int) {}
    public init(bytes: UnsafeRawPointer, count: Int) {}
    public init<Bytes: Sequence>(_ bytes: Bytes) where Bytes.Element == UInt8 {}
    public struct Base64EncodingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    public func base64EncodedString(options: Base64EncodingOptions = []) -> String { "" }
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result { fatalError() }
    public var startIndex: Int { 0 }
    public var endIndex: Int { 0 }
    public subscript(index: Int) -> UInt8 {
        get { 0 }
        set {}
    }
    public subscript(range: Range<Int>) -> Data {
        get { self }
        set {}
    }
    public mutating func replaceSubrange<Bytes: Collection>(_ range: Range<Int>, with bytes: Bytes) where Bytes.Element == UInt8 {}
}

public struct Decimal: Sendable, Hashable, Comparable, Codable {
    public init(_ value: Int) { fatalError() }
    public init(_ value: Int64) { fatalError() }
    public init(_ value: Double) { fatalError() }
    public init?(string: String, locale: Locale? = nil) { nil }
    public var isNaN: Bool { false }
    public static func < (left: Decimal, right: Decimal) -> Bool { fatalError() }
}

public struct UUID: Sendable, Hashable, Codable, CustomStringConvertible {
    public init() {}
    public init?(uuidString: String) { nil }
    public init(uuid: uuid_t) { fatalError() }
    public var uuid: uuid_t { fatalError() }
    public var uuidString: String { "" }
    public var description: String { "" }
}

public struct URL: Sendable, Hashable, Codable {
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public enum DirectoryHint: Sendable, Hashable { case isDirectory, notDirectory, checkFileSystem, inferFromPath }
    public init?(string: String) { nil }
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public init(filePath: String, directoryHint: DirectoryHint = .inferFromPath, relativeTo base: URL? = nil) { fatalError() }
    public var absoluteString: String { "" }
    public var lastPathComponent: String { "" }
    public var pathExtension: String { "" }
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public func path(percentEncoded: Bool = true) -> String { "" }
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public func appending<S: StringProtocol>(path: S, directoryHint: DirectoryHint = .inferFromPath) -> URL { self }
    public func deletingLastPathComponent() -> URL { self }
    public func deletingPathExtension() -> URL { self }
    public func resolvingSymlinksInPath() -> URL { self }
}

public struct URLComponents: Sendable, Hashable {
    public init() {}
    public var scheme: String?
    public var host: String?
    public var port: Int?
    public var path: String {
        get { "" }
        set {}
    }
    @available(macOS 10.10, iOS 8, *)
    public var queryItems: [URLQueryItem]? {
        get { nil }
        set {}
    }
    public var url: URL? { nil }
}
public struct URLQueryItem: Sendable, Hashable {
    public init(name: String, value: String?) {}
}

extension String {
    public struct Encoding: Sendable, Hashable {
        public static let utf8 = Encoding()
    }
    public init(format: String, _ arguments: any CVarArg...) { self = "" }
    public init(contentsOf url: URL, encoding: Encoding) throws { self = "" }
}

public protocol NSObjectProtocol: AnyObject {}
public struct Selector {}
public func NSSelectorFromString(_ name: String) -> Selector { fatalError() }

open class NSObject: NSObjectProtocol {
    public init() {}
    // In the SDK these are methods of objects, which a class is, too.
    public class func responds(to selector: Selector!) -> Bool { fatalError() }
    public class func perform(_ selector: Selector!) -> Unmanaged<AnyObject>! { fatalError() }
    open func observeValue(
        forKeyPath keyPath: String?,
        of object: Any?,
        change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {}
    open func addObserver(
        _ observer: NSObject,
        forKeyPath keyPath: String,
        options: NSKeyValueObservingOptions,
        context: UnsafeMutableRawPointer?
    ) {}
    open func removeObserver(_ observer: NSObject, forKeyPath keyPath: String) {}
}

public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
}

public struct NSKeyValueChangeKey: Hashable, Sendable {}

open class UserDefaults: NSObject {
    public class var standard: UserDefaults { fatalError() }
    public class var didChangeNotification: NSNotification.Name { fatalError() }
    public init?(suiteName: String?) { nil }
    open func string(forKey defaultName: String) -> String? { fatalError() }
    open func set(_ value: Any?, forKey defaultName: String) {}
}

// In the SDK it belongs to the module ObjectiveC, which Foundation re-exports.
public struct ObjCBool: ExpressibleByBooleanLiteral, Sendable {
    public init(_ value: Bool) {}
    public init(booleanLiteral value: Bool) {}
    public var boolValue: Bool { false }
}

public struct FileAttributeKey: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let size = FileAttributeKey(rawValue: "")
    public static let modificationDate = FileAttributeKey(rawValue: "")
    public static let posixPermissions = FileAttributeKey(rawValue: "")
    public static let systemFreeSize = FileAttributeKey(rawValue: "")
}
// As in the SDK, a file manager is not Sendable.
open class FileManager: NSObject {
    public class var `default`: FileManager { fatalError() }
    @available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *)
    open var temporaryDirectory: URL { fatalError() }
    open func fileExists(atPath path: String) -> Bool { false }
    open func contentsOfDirectory(atPath path: String) throws -> [String] { [] }
    open func destinationOfSymbolicLink(atPath path: String) throws -> String { "" }
    open func fileExists(atPath path: String, isDirectory: UnsafeMutablePointer<ObjCBool>?) -> Bool { false }
    @discardableResult
    open func createFile(atPath path: String, contents data: Data?, attributes: [FileAttributeKey: Any]? = nil) -> Bool { false }
    open func isWritableFile(atPath path: String) -> Bool { false }
    open func copyItem(atPath source: String, toPath target: String) throws {}
    open func attributesOfItem(atPath path: String) throws -> [FileAttributeKey: Any] { [:] }
    open func attributesOfFileSystem(forPath path: String) throws -> [FileAttributeKey: Any] { [:] }
    open func removeItem(atPath path: String) throws {}
    open func createDirectory(
        atPath path: String,
        withIntermediateDirectories createsIntermediates: Bool,
        attributes: [FileAttributeKey: Any]? = nil
    ) throws {}
}

// As in the SDK, file handles and formatters may be used on any thread.
open class FileHandle: NSObject, @unchecked Sendable {
    open class var standardError: FileHandle { fatalError() }
    public convenience init?(forReadingAtPath path: String) { nil }
    open func write(_ data: Data) {}
    @available(macOS 10.15.4, iOS 13.4, tvOS 13.4, watchOS 6.2, *)
    public func read(upToCount count: Int) throws -> Data? { nil }
    @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
    open func close() throws {}
}
open class DateFormatter: NSObject, @unchecked Sendable {
    open var calendar: Calendar!
    open var locale: Locale!
    open var timeZone: TimeZone!
    open var dateFormat: String!
    open func string(from date: Date) -> String { "" }
}

open class ProcessInfo: NSObject, @unchecked Sendable {
    public class var processInfo: ProcessInfo { fatalError() }
    open var activeProcessorCount: Int { 1 }
    open var processIdentifier: Int32 { 1 }
    open var processName: String {
        get { "" }
        set {}
    }
}

open class NSString: NSObject {}

open class NSNumber: NSObject, @unchecked Sendable {
    open var int64Value: Int64 { 0 }
}
open class NSDecimalNumber: NSNumber, @unchecked Sendable {
    public init(decimal: Decimal) { super.init() }
    open func description(withLocale locale: Any?) -> String { "" }
}

extension NSString {
    public struct CompareOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let caseInsensitive = CompareOptions(rawValue: 1)
        public static let backwards = CompareOptions(rawValue: 4)
    }
}
extension StringProtocol {
    public func range(of text: some StringProtocol, options: NSString.CompareOptions = []) -> Range<Index>? { nil }
    public func trimmingCharacters(in set: CharacterSet) -> String { "" }
    public func addingPercentEncoding(withAllowedCharacters allowed: CharacterSet) -> String? { nil }
}
public struct CharacterSet: Sendable {
    public static var whitespacesAndNewlines: CharacterSet { fatalError() }
    public static var urlPathAllowed: CharacterSet { fatalError() }
}

public final class NSNotification: NSObject {
    public struct Name: Sendable, Hashable {
        public init(_ rawValue: String) {}
        public static let NSSystemTimeZoneDidChange = Name("")
        @available(macOS 10.6, iOS 4, tvOS 9, watchOS 2, *)
        public static let NSSystemClockDidChange = Name("")
    }
}
// As in the SDK, neither a notification nor the token of an observer is Sendable.
public struct Notification {
    public typealias Name = NSNotification.Name
    public var name: Name
    public var object: Any?
}
public final class OperationQueue: NSObject, @unchecked Sendable {}
public final class NotificationCenter: NSObject, @unchecked Sendable {
    public class var `default`: NotificationCenter { fatalError() }
    public func addObserver(
        forName name: NSNotification.Name?,
        object: Any?,
        queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol { fatalError() }
    public func removeObserver(_ observer: Any) {}
}

open class NSError: NSObject, Error, @unchecked Sendable {
    public var domain: String { "" }
    public var code: Int { 0 }
}
public let NSURLErrorDomain = ""
public var NSURLErrorNotConnectedToInternet: Int { fatalError() }
public var NSURLErrorInternationalRoamingOff: Int { fatalError() }
public var NSURLErrorCallIsActive: Int { fatalError() }
public var NSURLErrorDataNotAllowed: Int { fatalError() }

public protocol LocalizedError: Error {
    var errorDescription: String? { get }
    var failureReason: String? { get }
    var recoverySuggestion: String? { get }
    var helpAnchor: String? { get }
}
extension LocalizedError {
    public var errorDescription: String? { nil }
    public var failureReason: String? { nil }
    public var recoverySuggestion: String? { nil }
    public var helpAnchor: String? { nil }
}
extension Error {
    public var localizedDescription: String { "" }
}

open class Bundle: NSObject, @unchecked Sendable {
    public class var main: Bundle { fatalError() }
    public convenience init(for aClass: AnyClass) { fatalError() }
    open var bundleURL: URL { fatalError() }
    open var resourceURL: URL? { nil }
    open var executableURL: URL? { nil }
    open var infoDictionary: [String: Any]? { nil }
}

open class JSONEncoder {
    public enum NonConformingFloatEncodingStrategy: Sendable {
        case `throw`
        case convertToString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }
    public init() {}
    open var nonConformingFloatEncodingStrategy: NonConformingFloatEncodingStrategy = .throw
    public struct OutputFormatting: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        @available(macOS 10.13, iOS 11, tvOS 11, watchOS 4, *)
        public static let sortedKeys = OutputFormatting(rawValue: 2)
    }
    open var outputFormatting: OutputFormatting = []
    open func encode<Value: Encodable>(_ value: Value) throws -> Data { Data() }
}
open class JSONDecoder {
    public enum NonConformingFloatDecodingStrategy: Sendable {
        case `throw`
        case convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }
    public init() {}
    open var nonConformingFloatDecodingStrategy: NonConformingFloatDecodingStrategy = .throw
    open func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value { fatalError() }
}

extension StringProtocol {
    public var precomposedStringWithCanonicalMapping: String { String(self) }
    public var decomposedStringWithCanonicalMapping: String { String(self) }
    public var precomposedStringWithCompatibilityMapping: String { String(self) }
}

open class Thread {
    public static var isMainThread: Bool { fatalError() }
}
