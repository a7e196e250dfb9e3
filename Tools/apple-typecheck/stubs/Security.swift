// The parts of Security that the sample for the keychain uses, with Apple's signatures and availability. Without Objective-C there is no
// bridge to Core Foundation, so its types are Swift's own here, and `as CFDictionary` compiles as it does with the bridge.

public typealias CFString = String
public typealias CFDictionary = [CFString: Any]
public typealias CFTypeRef = AnyObject
public typealias OSStatus = Int32

public var errSecSuccess: OSStatus { fatalError() }
public var errSecItemNotFound: OSStatus { fatalError() }

@available(macOS 10.6, iOS 2, tvOS 9, watchOS 2, *)
public let kSecClass: CFString = ""
@available(macOS 10.6, iOS 2, tvOS 9, watchOS 2, *)
public let kSecClassGenericPassword: CFString = ""
@available(macOS 10.6, iOS 2, tvOS 9, watchOS 2, *)
public let kSecAttrService: CFString = ""
@available(macOS 10.6, iOS 2, tvOS 9, watchOS 2, *)
public let kSecAttrAccount: CFString = ""
@available(macOS 10.9, iOS 4, tvOS 9, watchOS 2, *)
public let kSecAttrAccessible: CFString = ""
@available(macOS 10.9, iOS 4, tvOS 9, watchOS 2, *)
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = ""
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public let kSecUseDataProtectionKeychain: CFString = ""
@available(macOS 10.6, iOS 2, tvOS 9, watchOS 2, *)
public let kSecReturnData: CFString = ""
@available(macOS 10.6, iOS 2, tvOS 9, watchOS 2, *)
public let kSecValueData: CFString = ""

@available(macOS 10.6, iOS 2, tvOS 9, watchOS 2, *)
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { fatalError() }
@available(macOS 10.6, iOS 2, tvOS 9, watchOS 2, *)
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { fatalError() }
@available(macOS 10.6, iOS 2, tvOS 9, watchOS 2, *)
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus { fatalError() }
@available(macOS 10.6, iOS 2, tvOS 9, watchOS 2, *)
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { fatalError() }
@available(macOS 10.3, iOS 11.3, tvOS 11.3, watchOS 4.3, *)
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? { fatalError() }
