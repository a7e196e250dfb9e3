import Foundation

@testable import QueryKit

/// The events of a run machine, with the names that the tables use.
enum MachineEvent: Hashable, Sendable {
    enum Outcome: String, CaseIterable, Sendable {
        case success, failure, cancelled

        var runOutcome: RunOutcome {
            switch self {
            case .success: .success
            case .failure: .failure(MachineError())
            case .cancelled: .cancelled
            }
        }
    }

    case fetch
    case fetchNext
    case fetchPrevious
    case refresh
    case subscribe
    /// A subscription that does not start a run.
    case look
    case unsubscribe(QueryAbandonment = .cancel)
    case leave(Int32, QueryAbandonment = .cancel)
    case invalidate(QueryRefetch, isEnabled: Bool = true)
    case write(isEnabled: Bool = true)
    case writeFailure
    case cancel
    case reset(refetches: Bool = false)
    case yield(Int32)
    case attemptFailed(Int32)
    /// The network is missing, or back.
    case pause(Int32)
    /// The network is missing from the start of the run.
    case holdBack(Int32)
    case goOn(Int32)
    /// A stream yields an element.
    case stream(Int32)
    case end(Int32, Outcome)
    case beginPrivate
    case endPrivate(Int32, Outcome)
}

struct MachineError: Error {}

extension MachineEvent: CustomStringConvertible {
    var description: String {
        switch self {
        case .fetch: "fetch"
        case .fetchNext: "fetch next"
        case .fetchPrevious: "fetch previous"
        case .refresh: "refresh"
        case .subscribe: "subscribe"
        case .look: "look"
        case .unsubscribe(let abandonment): "unsubscribe" + Self.text(abandonment)
        case .leave(RunMachine.following, let abandonment): "leave next" + Self.text(abandonment)
        case .leave(let number, let abandonment): "leave \(number)" + Self.text(abandonment)
        case .invalidate(let refetch, let isEnabled): "invalidate \(refetch)" + (isEnabled ? "" : ", disabled")
        case .write(let isEnabled): "write" + (isEnabled ? "" : ", disabled")
        case .writeFailure: "write failure"
        case .cancel: "cancel"
        case .reset(let refetches): "reset" + (refetches ? ", refetch" : "")
        case .yield(let number): "yield \(number)"
        case .pause(let number): "pause \(number)"
        case .holdBack(let number): "hold back \(number)"
        case .goOn(let number): "go on \(number)"
        case .stream(let number): "stream \(number)"
        case .attemptFailed(let number): "attempt of \(number) failed"
        case .end(let number, let outcome): "end \(number) \(outcome)"
        case .beginPrivate: "begin private"
        case .endPrivate(let number, let outcome): "end private \(number) \(outcome)"
        }
    }

    private static func text(_ abandonment: QueryAbandonment) -> String { abandonment == .finish ? ", finish" : "" }
}

/// A machine together with the record that it changes.
struct Situation {
    static let time = QueryTimestamp(instant: QueryInstant(nanoseconds: 7), date: .distantPast)

    var machine = RunMachine()
    var record = QueryRecord()

    init(after events: [MachineEvent] = []) {
        for event in events { _ = send(event) }
    }

    /// Sends one event; does not start a run that should follow.
    mutating func send(_ event: MachineEvent) -> Answer {
        let effects = effects(of: event)
        return answer(effects)
    }

    private func answer(_ effects: RunMachine.Effects) -> Answer {
        Answer(
            effects: effects,
            starts: effects.starts == nil ? nil : machine.runStart,
            next: effects.hasNext ? machine.next : nil
        )
    }

    private mutating func effects(of event: MachineEvent) -> RunMachine.Effects {
        switch event {
        case .fetch: machine.fetch(&record)
        case .fetchNext: machine.fetch(&record, for: .next)
        case .fetchPrevious: machine.fetch(&record, for: .previous)
        case .refresh: machine.refresh(.stale, &record)
        case .subscribe: machine.subscribe(wanting: .subscribed, &record)
        case .look: machine.subscribe(wanting: nil, &record)
        case .unsubscribe(let abandonment): machine.unsubscribe(abandonment, &record)
        case .leave(let number, let abandonment): machine.leave(number, abandonment, &record)
        case .invalidate(let refetch, let isEnabled):
            machine.invalidate(.invalidated("a"), refetch: refetch, isEnabled: isEnabled, &record)
        case .write(let isEnabled): machine.write(nil, isEnabled: isEnabled, at: Self.time, &record)
        case .writeFailure: machine.write(MachineError(), isEnabled: true, at: Self.time, &record)
        case .cancel: machine.cancel(&record)
        case .reset(let refetches): machine.reset(refetches: refetches, &record)
        case .yield(let number): machine.yield(number, at: Self.time, &record)
        case .pause(let number): machine.pause(number, true, &record)
        case .holdBack(let number): holdBack(number)
        case .goOn(let number): machine.pause(number, false, &record)
        case .stream(let number): machine.stream(number, at: Self.time, &record)
        case .attemptFailed(let number): machine.attemptFailed(number, MachineError(), &record)
        case .end(let number, let outcome): machine.end(number, outcome.runOutcome, at: Self.time, &record)
        case .beginPrivate: machine.beginPrivate(&record)
        case .endPrivate(let number, let outcome): machine.endPrivate(number, outcome.runOutcome, at: Self.time, &record)
        }
    }

    private mutating func holdBack(_ number: Int32) -> RunMachine.Effects {
        machine.holdBack(number, after: record, &record)
        return RunMachine.Effects()
    }

    /// Starts the run that an event asked for, as the store does after publishing the event.
    mutating func follow() -> Answer {
        let effects = machine.startNext(&record)
        return answer(effects)
    }
}

/// The machine's effects of an event, with the run that begins and the one that follows.
@dynamicMemberLookup
struct Answer {
    let effects: RunMachine.Effects
    let starts: RunStart?
    let next: RunMachine.Next?

    subscript<Member>(dynamicMember member: KeyPath<RunMachine.Effects, Member>) -> Member { effects[keyPath: member] }

    static func == (left: Answer, right: RunMachine.Effects) -> Bool { left.effects == right }
}
