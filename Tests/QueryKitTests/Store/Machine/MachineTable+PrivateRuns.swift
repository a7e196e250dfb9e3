@testable import QueryKit

extension MachineTable {
    /// A store with a private run.
    static let privateRuns = [
        MachineTable(
            "R6 a private run",
            after: [.beginPrivate],
            """
            fetch                       | start 2 manual for caller, join 2 | 2 manual w1 p1     | -
            refresh                     | start 2 stale for library         | 2 stale p1         | by stale
            subscribe                   | start 2 subscribed for library    | 2 subscribed s1 p1 | by subscribed
            look                        | -                                 | s1 p1              | -
            invalidate active           | -                                 | p1                 | +invalidated by /a
            invalidate all              | start 2 /a for library            | 2 /a p1            | +invalidated by /a
            invalidate none             | -                                 | p1                 | +invalidated by /a
            invalidate active, disabled | -                                 | p1                 | +invalidated by /a
            invalidate all, disabled    | -                                 | p1                 | +invalidated by /a
            write                       | accept                            | p1                 | +success +value values 1 by written
            write, disabled             | accept                            | p1                 | +success +value values 1 by written
            write failure               | -                                 | p1                 | +failure errors 1 by written
            cancel                      | -                                 | p1                 | -
            reset                       | clear, settle all                 | p1                 | by reset
            reset, refetch              | clear, settle all                 | p1                 | by reset
            yield 0                     | ignored                           | p1                 | -
            attempt of 0 failed         | ignored                           | p1                 | -
            end 0 success               | ignored                           | p1                 | -
            begin private               | join 2                            | p2                 | -
            end private 1 success       | accept                            | -                  | -fetching +success +value values 1
            end private 1 failure       | -                                 | -                  | -fetching +failure errors 1 failures 1
            end private 1 cancelled     | -                                 | -                  | -fetching by cancelled
            """
        ),
        MachineTable(
            "R10 a private run beside an older run with a subscriber",
            after: [.subscribe, .beginPrivate],
            """
            fetch                       | join 1                                                 | 1 subscribed w1 s1 p1                | -
            refresh                     | -                                                      | 1 subscribed s1 p1                   | -
            subscribe                   | -                                                      | 1 subscribed s2 p1                   | -
            look                        | -                                                      | 1 subscribed s2 p1                   | -
            unsubscribe                 | restore, cancel 1                                      | p1                                   | by cancelled
            unsubscribe, finish         | -                                                      | 1 subscribed p1                      | -
            invalidate active           | -                                                      | 1 subscribed old then /a s1 p1       | +invalidated by /a
            invalidate all              | -                                                      | 1 subscribed old then /a s1 p1       | +invalidated by /a
            invalidate none             | -                                                      | 1 subscribed old s1 p1               | +invalidated by /a
            invalidate active, disabled | -                                                      | 1 subscribed old s1 p1               | +invalidated by /a
            invalidate all, disabled    | -                                                      | 1 subscribed old s1 p1               | +invalidated by /a
            write                       | accept, rebase                                         | 1 subscribed over then written s1 p1 | +success +value values 1 by written
            write, disabled             | accept, rebase                                         | 1 subscribed over s1 p1              | +success +value values 1 by written
            write failure               | rebase                                                 | 1 subscribed over then written s1 p1 | +failure errors 1 by written
            cancel                      | restore, cancel 1, settle all                          | s1 p1                                | by cancelled
            reset                       | clear, cancel 1, settle all                            | s1 p1                                | by reset
            reset, refetch              | clear, cancel 1, settle all, next reset for library w0 | s1 p1                                | by reset
            yield 1                     | accept                                                 | 1 subscribed s1 p1                   | +success +value +partial values 1 by subscribed
            attempt of 1 failed         | -                                                      | 1 subscribed s1 p1                   | failures 1 by subscribed
            end 1 success               | accept, settle 1                                       | s1 p1                                | +success +value values 1 by subscribed
            end 1 failure               | settle 1                                               | s1 p1                                | +failure errors 1 failures 1 by subscribed
            end 1 cancelled             | restore, settle 1                                      | s1 p1                                | by cancelled
            yield 0                     | ignored                                                | 1 subscribed s1 p1                   | -
            attempt of 0 failed         | ignored                                                | 1 subscribed s1 p1                   | -
            end 0 success               | ignored                                                | 1 subscribed s1 p1                   | -
            begin private               | join 3                                                 | 1 subscribed s1 p2                   | -
            end private 2 success       | accept, rebase                                         | 1 subscribed s1                      | +success +value values 1
            end private 2 failure       | rebase                                                 | 1 subscribed s1                      | +failure errors 1 failures 1
            end private 2 cancelled     | -                                                      | 1 subscribed s1                      | by cancelled
            """
        ),
        MachineTable(
            "R10 a private run beside a younger run with a waiter",
            after: [.beginPrivate, .fetch],
            """
            fetch                       | join 2                        | 2 manual w2 p1                   | -
            refresh                     | -                             | 2 manual w1 p1                   | -
            subscribe                   | -                             | 2 manual w1 s1 p1                | -
            look                        | -                             | 2 manual w1 s1 p1                | -
            leave 2                     | restore, cancel 2             | p1                               | by cancelled
            leave 2, finish             | -                             | 2 manual p1                      | -
            invalidate active           | -                             | 2 manual w1 old then /a p1       | +invalidated by /a
            invalidate all              | -                             | 2 manual w1 old then /a p1       | +invalidated by /a
            invalidate none             | -                             | 2 manual w1 old p1               | +invalidated by /a
            invalidate active, disabled | -                             | 2 manual w1 old p1               | +invalidated by /a
            invalidate all, disabled    | -                             | 2 manual w1 old p1               | +invalidated by /a
            write                       | accept, rebase                | 2 manual w1 over then written p1 | +success +value values 1 by written
            write, disabled             | accept, rebase                | 2 manual w1 over p1              | +success +value values 1 by written
            write failure               | rebase                        | 2 manual w1 over then written p1 | +failure errors 1 by written
            cancel                      | restore, cancel 2, settle all | p1                               | by cancelled
            reset                       | clear, cancel 2, settle all   | p1                               | by reset
            reset, refetch              | clear, cancel 2, settle all   | p1                               | by reset
            yield 2                     | accept                        | 2 manual w1 p1                   | +success +value +partial values 1
            attempt of 2 failed         | -                             | 2 manual w1 p1                   | failures 1
            end 2 success               | accept, settle 2              | p1                               | +success +value values 1
            end 2 failure               | settle 2                      | p1                               | +failure errors 1 failures 1
            end 2 cancelled             | restore, settle 2             | p1                               | by cancelled
            yield 0                     | ignored                       | 2 manual w1 p1                   | -
            attempt of 0 failed         | ignored                       | 2 manual w1 p1                   | -
            end 0 success               | ignored                       | 2 manual w1 p1                   | -
            begin private               | join 3                        | 2 manual w1 p2                   | -
            end private 1 success       | accept, rebase                | 2 manual w1                      | +success +value values 1
            end private 1 failure       | rebase                        | 2 manual w1                      | +failure errors 1 failures 1
            end private 1 cancelled     | -                             | 2 manual w1                      | by cancelled
            """
        ),
    ]
}
