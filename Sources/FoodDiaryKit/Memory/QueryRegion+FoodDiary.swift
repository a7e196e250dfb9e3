import QueryKit

extension QueryRegion {
    /// A table of the diary in memory, or one day of it.
    static func diary(_ table: String, _ day: FoodDay? = nil) -> QueryRegion {
        QueryRegion(source: "diary", name: table, partition: day.map { String($0.compact) })
    }
}
