import Foundation

/// Decides what happens after an error: the run fails, or makes another attempt, which may need a permission or a repair first.
///
/// ```swift
/// context.recovery = QueryRecovery { error, standard in
///     (error as? HTTPError)?.status == 401 ? .authorize : standard
/// }
/// ```
public struct QueryRecovery: Sendable {
    /// What to do next.
    public enum Step: Hashable, Sendable {
        /// Give up: the run ends with the error.
        case fail

        /// Try again, as often as ``QueryRetry`` allows and after its delays. Without a network, the run may wait for the network instead;
        /// see ``QueryNetworkMode/offlineFirst``.
        case retry

        /// Wait for the network if there is none, then try again. With a network, the same as ``retry``.
        case waitForNetwork

        /// Call `context.repair`, at most once per run, to repair or replace the data. If it succeeds, try once more immediately.
        case repair

        /// Call `context.authorization`, at most once per run. If permission is granted, try once more immediately.
        case authorize
    }

    private let choose: @Sendable (any Error, Step) -> Step

    /// Creates a recovery that may override the standard step.
    public init(_ choose: @escaping @Sendable (_ error: any Error, _ standard: Step) -> Step) { self.choose = choose }

    /// Retries temporary errors, waits for the network, requests permission, and fails with errors that another attempt can't resolve.
    ///
    /// Errors that `URLSession` throws when there is no network count as ``QueryError/Code/networkUnavailable``: the codes
    /// `notConnectedToInternet`, `dataNotAllowed`, `internationalRoamingOff` and `callIsActive` of `URLError`. A timeout or a lost
    /// connection may have other causes, and the server may have processed the request: these errors are retried like others.
    public static let standard = QueryRecovery { _, standard in standard }

    func step(after error: any Error) -> Step { choose(error, Self.standardStep(after: error)) }

    private static func standardStep(after error: any Error) -> Step {
        let known = error as? QueryError ?? (error as? any QueryErrorConvertible)?.queryError
        return switch known?.code {
        case .invalidParameters, .cycle, .sessionEnded: .fail
        case .databaseCorruption: .repair
        case .networkUnavailable: .waitForNetwork
        case .insufficientPermissions: .authorize
        case nil where saysThatThereIsNoNetwork(error): .waitForNetwork
        default: .retry
        }
    }

    /// Compares domain and code, which `URLError` and `NSError` share, so that apps without networking need not link it.
    private static func saysThatThereIsNoNetwork(_ error: any Error) -> Bool {
        let error = error as NSError
        guard error.domain == NSURLErrorDomain else { return false }
        return switch error.code {
        case NSURLErrorNotConnectedToInternet, NSURLErrorDataNotAllowed, NSURLErrorInternationalRoamingOff, NSURLErrorCallIsActive: true
        default: false
        }
    }
}
