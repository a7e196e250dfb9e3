import Foundation

/// Decides what follows an error: another attempt, a question for permission first, or failure.
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

        /// Try again, as far and as late as ``QueryRetry`` allows. With ``QueryNetworkMode/offlineFirst`` and without a network, wait for the
        /// network instead, unless ``QueryRetry/condition`` refuses the error.
        case retry

        /// Wait for the network if there is none, and try again; where there is one, the same as ``retry``.
        case waitForNetwork

        /// Ask `context.repair`, once a run, to mend or replace the data; when it did, try once more at once.
        case repair

        /// Ask `context.authorization`, once a run; when it is granted, try once more at once.
        case authorize
    }

    private let choose: @Sendable (any Error, Step) -> Step

    /// Creates a recovery that may overrule the standard step.
    public init(_ choose: @escaping @Sendable (_ error: any Error, _ standard: Step) -> Step) { self.choose = choose }

    /// Retries what may pass, waits for the network, asks for permissions, and gives up on what no attempt can mend.
    ///
    /// What `URLSession` throws when there is no network counts as ``QueryError/Code/networkUnavailable``: the codes `notConnectedToInternet`,
    /// `dataNotAllowed`, `internationalRoamingOff` and `callIsActive` of `URLError`. A time limit that has passed, or a connection that broke off, may
    /// have other reasons, and the server may have done its part: those are retried like other errors.
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

    /// By domain and code, which `URLError` and `NSError` share, so that apps without networking need not link it.
    private static func saysThatThereIsNoNetwork(_ error: any Error) -> Bool {
        let error = error as NSError
        guard error.domain == NSURLErrorDomain else { return false }
        return switch error.code {
        case NSURLErrorNotConnectedToInternet, NSURLErrorDataNotAllowed, NSURLErrorInternationalRoamingOff, NSURLErrorCallIsActive: true
        default: false
        }
    }
}
