/// A view model of the overview. All five ways have one.
@MainActor
package protocol OverviewModel: AnyObject {
    /// What the screen shows. The first read of it starts the reads of the database.
    var overview: Overview { get }
    /// What went wrong, as text for the user.
    var problem: String? { get }

    /// Marks a habit on the day that is shown, or removes its mark.
    func tap(_ habit: Habit)
    /// Shows another day of the week.
    func show(_ day: Day)
    /// The user returns to the app. Another process may have written in between.
    func becomeActive()
    /// Waits until the writes that were begun have ended.
    func written() async
}
