import Foundation
import Observation
import QueryKit
import TripsApp

/// A screen that is printed whenever its content changes, and that runs the commands a user types.
@MainActor
final class Watch {
    private enum Event: Sendable {
        case typed(String)
        case changed
        case inputEnded
    }

    private let model: TripListModel
    private let navigator: TripNavigator
    private var remark: String?
    private var printed: [String] = []
    private let (events, signal) = AsyncStream.makeStream(of: Event.self)

    init(client: QueryClient) {
        model = TripListModel(queryClient: client)
        navigator = TripNavigator(queryClient: client)
    }

    /// Returns when the user quits, or when the input ends.
    func run() async {
        readInput()
        draw()
        for await event in events {
            switch event {
            case .typed("quit"), .inputEnded: return
            case .typed(let line): obey(line)
            case .changed: break
            }
            draw()
        }
    }

    private func draw() {
        let lines = withObservationTracking {
            NavigatorScreen(list: TripListScreen(model: model), navigator: navigator).lines + (remark.map { ["! \($0)"] } ?? [])
        } onChange: { [signal] in
            signal.yield(.changed)
        }
        guard lines != printed else { return }
        printed = lines
        Output.write(Output.isTerminal ? ["\u{1B}[2J\u{1B}[H" + lines[0]] + lines.dropFirst() : lines + [""])
    }

    private func obey(_ line: String) {
        remark = nil
        navigator.dismissMessage()
        do {
            if line == "retry" { return model.retry() }
            if navigator.obey(line) { return }
            let isSearch = line.hasPrefix("/")
            switch isSearch ? .list(matching: String(line.dropFirst())) : try TripsCall(Self.words(line)) {
            case .list(let text): (navigator.path, model.search) = ([], text)
            case .show(let name): navigator.open(try trip(named: name).id)
            case .add(let name, let start, let days):
                model.submit { try .add(Trip(planning: name, from: start ?? Day(Date()).rawValue, days: days)) }
            case .rename(let name, let new):
                let trip = try trip(named: name)
                model.submit { try .rename(trip, to: Trip.name(new)) }
            case .delete(let name):
                let trip = try trip(named: name)
                model.submit { .delete(trip) }
            case .stop(let name, let place, let nights):
                let trip = try trip(named: name)
                model.submit { .addStop(Stop(place: place, nights: nights), to: trip) }
            case .help, .watch, .demo:
                remark = "Type: list, show, edit, back, add, rename, delete, stop, /TEXT, retry, quit. In the form: name NEW-NAME, save."
            }
        } catch {
            remark = "\(error)"
        }
    }

    private func trip(named name: String) throws -> Trip {
        guard let trip = model.trips.first(where: { $0.name == name }) else { throw TripError.gone(name) }
        return trip
    }

    /// Splits a line at spaces; quotes keep words together.
    private static func words(_ line: String) -> [String] {
        line.split(separator: "\"", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
            index.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
        }
    }

    /// Reads on a dedicated thread, because `readLine` blocks.
    private func readInput() {
        Thread { [signal] in
            while let line = readLine() { signal.yield(.typed(line)) }
            signal.yield(.inputEnded)
        }.start()
    }
}
