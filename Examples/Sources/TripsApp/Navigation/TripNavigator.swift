import Foundation
import Observation
package import QueryKit

/// Where the user is: in the list, in a trip, or editing one. The path follows the data.
///
/// While the open trip doesn't exist, the path is empty and there is a ``message``. It is computed from the details, so it makes no
/// difference who deletes the trip: this screen, another one, another process, or a synchronization. If a deletion fails and is rolled
/// back, the screen is there again.
@MainActor @Observable
package final class TripNavigator: QueryModel {
    package enum Screen: Hashable, Sendable {
        case trip(Trip.ID)
        case edit(Trip.ID)
    }

    private struct Draft: Equatable {
        let id = UUID()
        /// `nil` until the user types.
        var name: String?
    }

    package let queryClient: QueryClient

    private var chosen: [Screen] = []
    private var opened: SharedQuery<InlineQuery<TripDetails?>.State>?
    private var draft = Draft()
    private var refusal: (any Error)?
    /// The name that the user has seen last, for the message.
    @ObservationIgnored private var seenName: String?

    @ObservationIgnored @SharedMutation(Trip.change) private var change

    package init(queryClient: QueryClient) { self.queryClient = queryClient }

    /// The screens above the list, for a `NavigationStack`.
    package var path: [Screen] {
        get { isDeleted ? [] : chosen }
        set {
            // A stack that was popped because of the data may write the path that it shows. That must not remove the message.
            if newValue != path { go(to: newValue) }
        }
    }

    /// The open trip; `nil` in the list and while it is loading.
    package var details: TripDetails? {
        guard let details = opened?.wrappedValue else { return nil }
        seenName = details?.trip.name ?? seenName
        return details
    }

    /// Why the path is shorter than the user has left it.
    package var message: String? { isDeleted ? (seenName.map { "\"\($0)\"" } ?? "The trip") + " was deleted." : nil }

    package var problem: String? { (refusal ?? opened?.error).map { "\($0)" } }

    /// Whether the details were loaded and there are none.
    private var isDeleted: Bool { if case .some(.none) = opened?.wrappedValue { true } else { false } }

    package func open(_ id: Trip.ID) { go(to: [.trip(id)]) }

    package func back() { go(to: path.dropLast()) }

    package func dismissMessage() { if isDeleted { go(to: []) } }

    private func go(to path: [Screen]) {
        let id: Trip.ID? =
            switch path.last {
            case .trip(let id), .edit(let id): id
            case nil: nil
            }
        if id == nil || path.first != chosen.first {
            opened = id.map { SharedQuery(Trip.details(of: $0), client: queryClient) }
            seenName = nil
        }
        if path.last != chosen.last { (draft, refusal) = (Draft(), nil) }
        chosen = path
    }
}

/// Editing.
extension TripNavigator {
    /// The name in the form. It follows the trip until the user types.
    package var name: String {
        get { draft.name ?? details?.trip.name ?? "" }
        set { draft.name = newValue }
    }

    package var isSaving: Bool { change.isLoading }

    package func edit() {
        if case .trip(let id)? = path.last { go(to: path + [.edit(id)]) }
    }

    /// Saves the form, and closes it once it is saved. If that fails, the form stays as it is, and ``problem`` contains the reason.
    package func save() {
        refusal = nil
        guard let trip = details?.trip, draft.name != nil else { return back() }
        let saved = draft
        do {
            try change.submit(
                .rename(trip, to: Trip.name(name)),
                onSuccess: { @MainActor [weak self] in self?.close(saved) },
                onFailure: { @MainActor [weak self] error in self?.refuse(saved, error) }
            )
        } catch {
            refusal = error
        }
    }

    // The user may have closed the form, opened another one or typed since.
    private func close(_ saved: Draft) { if draft == saved, case .edit? = path.last { back() } }

    private func refuse(_ saved: Draft, _ error: any Error) { if draft.id == saved.id { refusal = error } }
}
