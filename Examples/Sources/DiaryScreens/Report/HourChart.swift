import Terminal

/// The number of entries in each hour of the day.
struct HourChart {
    let hours: [Int]

    var section: Markup {
        """
        <section aria-labelledby="hours">
        <h2 id="hours">Hours of the day</h2>
        <p class="legend"><span>Entries at each hour, by the clock where they were made</span></p>
        \(Plot.both("Entries by the hour of the day. The numbers are in the table below.", draw))
        \(table)
        </section>
        """
    }

    private func draw(_ plot: Plot) -> Markup {
        let scale = Scale(of: hours.map { Double($0) }, intervals: 4, startsAtZero: true)
        let pitch = plot.innerWidth / Double(max(hours.count, 1))
        let bars = hours.enumerated().map { hour, count -> Markup in
            let y = plot.y(scale.position(of: Double(count)))
            let x = plot.left + pitch * Double(hour) + pitch * 0.13
            return """
                <rect class="bar" x="\(x)" y="\(y)" width="\(pitch * 0.74)" height="\(max(0, plot.ground - y))" rx="1.5"><title>\(hour):00 to \(hour):59: \(FoodNumber.entries(count))</title></rect>
                """
        }
        let marked = hours.indices.filter { $0 % 3 == 0 }
        let captions = plot.captions(marked.map { "\($0):00" }, centers: marked.map { plot.left + pitch * (Double($0) + 0.5) })
        return "\(plot.grid(scale))\n\(bars)\n\(captions)"
    }

    private var table: Markup {
        let rows = hours.enumerated().map { hour, count -> Markup in
            "<tr><th scope=\"row\">\(hour):00</th><td>\(Number.whole(count))</td></tr>"
        }
        return """
            <details><summary>Each hour as a table</summary><div class="scroll"><table>
            <thead><tr><th scope="col">Hour</th><th scope="col">Entries</th></tr></thead>
            <tbody>
            \(rows)
            </tbody></table></div></details>
            """
    }
}
