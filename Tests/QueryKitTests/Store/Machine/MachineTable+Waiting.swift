@testable import QueryKit

extension MachineTable {
    /// Runs that wait for the network or for the next element of a stream.
    static let waiting = [
        MachineTable(
            "R12 a run waiting for the network, with a subscriber and a caller",
            after: [.subscribe, .fetch, .holdBack(1)],
            """
            fetch                       | join 1                                                 | 1 subscribed w2 paused s1    | -
            refresh                     | -                                                      | 1 subscribed w1 paused s1    | -
            subscribe                   | -                                                      | 1 subscribed w1 paused s2    | -
            look                        | -                                                      | 1 subscribed w1 paused s2    | -
            unsubscribe                 | -                                                      | 1 subscribed w1 paused       | -
            unsubscribe, finish         | -                                                      | 1 subscribed w1 paused       | -
            leave 1                     | -                                                      | 1 subscribed paused s1       | -
            leave 1, finish             | -                                                      | 1 subscribed paused s1       | -
            invalidate active           | -                                                      | 1 subscribed w1 paused s1    | +invalidated by /a
            invalidate all              | -                                                      | 1 subscribed w1 paused s1    | +invalidated by /a
            invalidate none             | -                                                      | 1 subscribed w1 paused s1    | +invalidated by /a
            invalidate active, disabled | -                                                      | 1 subscribed w1 paused s1    | +invalidated by /a
            invalidate all, disabled    | -                                                      | 1 subscribed w1 paused s1    | +invalidated by /a
            write                       | accept, rebase                                         | 1 subscribed w1 paused s1    | +success +value values 1 by written
            write, disabled             | accept, rebase                                         | 1 subscribed w1 paused s1    | +success +value values 1 by written
            write failure               | rebase                                                 | 1 subscribed w1 paused s1    | +failure errors 1 by written
            cancel                      | restore, cancel 1, settle all                          | s1                           | -paused by cancelled
            reset                       | clear, cancel 1, settle all                            | s1                           | -paused by reset
            reset, refetch              | clear, cancel 1, settle all, next reset for library w0 | s1                           | -paused by reset
            yield 1                     | accept                                                 | 1 subscribed w1 paused s1    | +success +value +partial values 1
            attempt of 1 failed         | -                                                      | 1 subscribed w1 paused s1    | failures 1
            end 1 success               | accept, settle 1                                       | s1                           | -paused +success +value values 1
            end 1 failure               | settle 1                                               | s1                           | -paused +failure errors 1 failures 1
            end 1 cancelled             | restore, settle 1                                      | s1                           | -paused by cancelled
            go on 1                     | -                                                      | 1 subscribed w1 s1           | +fetching -paused
            yield 0                     | ignored                                                | 1 subscribed w1 paused s1    | -
            attempt of 0 failed         | ignored                                                | 1 subscribed w1 paused s1    | -
            end 0 success               | ignored                                                | 1 subscribed w1 paused s1    | -
            begin private               | join 2                                                 | 1 subscribed w1 paused s1 p1 | +fetching -paused by manual
            """
        ),
        MachineTable(
            "R12 a refresh waiting for the network",
            after: [.write(), .subscribe, .holdBack(1)],
            """
            fetch                       | join 1                                                 | 1 subscribed w1 paused s1 | -
            refresh                     | -                                                      | 1 subscribed paused s1    | -
            subscribe                   | -                                                      | 1 subscribed paused s2    | -
            look                        | -                                                      | 1 subscribed paused s2    | -
            unsubscribe                 | restore, cancel 1                                      | -                         | -paused by cancelled
            unsubscribe, finish         | -                                                      | 1 subscribed paused       | -
            invalidate active           | -                                                      | 1 subscribed paused s1    | +invalidated by /a
            invalidate all              | -                                                      | 1 subscribed paused s1    | +invalidated by /a
            invalidate none             | -                                                      | 1 subscribed paused s1    | +invalidated by /a
            invalidate active, disabled | -                                                      | 1 subscribed paused s1    | +invalidated by /a
            invalidate all, disabled    | -                                                      | 1 subscribed paused s1    | +invalidated by /a
            write                       | accept, rebase                                         | 1 subscribed paused s1    | values 2 by written
            write, disabled             | accept, rebase                                         | 1 subscribed paused s1    | values 2 by written
            write failure               | rebase                                                 | 1 subscribed paused s1    | -success +failure errors 1 by written
            cancel                      | restore, cancel 1, settle all                          | s1                        | -paused by cancelled
            reset                       | clear, cancel 1, settle all                            | s1                        | -paused -success -value values 0 by reset
            reset, refetch              | clear, cancel 1, settle all, next reset for library w0 | s1                        | -paused -success -value values 0 by reset
            yield 1                     | accept                                                 | 1 subscribed paused s1    | +partial values 2
            attempt of 1 failed         | -                                                      | 1 subscribed paused s1    | failures 1
            end 1 success               | accept, settle 1                                       | s1                        | -paused values 2
            end 1 failure               | settle 1                                               | s1                        | -paused -success +failure errors 1 failures 1
            end 1 cancelled             | restore, settle 1                                      | s1                        | -paused by cancelled
            go on 1                     | -                                                      | 1 subscribed s1           | +fetching -paused
            yield 0                     | ignored                                                | 1 subscribed paused s1    | -
            attempt of 0 failed         | ignored                                                | 1 subscribed paused s1    | -
            end 0 success               | ignored                                                | 1 subscribed paused s1    | -
            begin private               | join 2                                                 | 1 subscribed paused s1 p1 | +fetching -paused by manual
            """
        ),
        MachineTable(
            "a live stream with a subscriber",
            after: [.subscribe, .stream(1)],
            """
            fetch                       | join 1                                                 | 1 subscribed w1 live s1  | -
            refresh                     | -                                                      | 1 subscribed live s1     | -
            subscribe                   | -                                                      | 1 subscribed live s2     | -
            look                        | -                                                      | 1 subscribed live s2     | -
            unsubscribe                 | cancel 1                                               | -                        | -live
            unsubscribe, finish         | -                                                      | 1 subscribed live        | -
            invalidate active           | cancel 1, next /a for library w0                       | s1                       | +invalidated -live by /a
            invalidate all              | cancel 1, next /a for library w0                       | s1                       | +invalidated -live by /a
            invalidate none             | -                                                      | 1 subscribed live old s1 | +invalidated by /a
            invalidate active, disabled | -                                                      | 1 subscribed live old s1 | +invalidated by /a
            invalidate all, disabled    | -                                                      | 1 subscribed live old s1 | +invalidated by /a
            write                       | accept, rebase                                         | 1 subscribed live s1     | values 2 by written
            write, disabled             | accept, rebase                                         | 1 subscribed live s1     | values 2 by written
            write failure               | rebase                                                 | 1 subscribed live s1     | -success +failure errors 1 by written
            cancel                      | cancel 1, settle all                                   | s1                       | -live
            reset                       | clear, cancel 1, settle all                            | s1                       | -success -value -live values 0 by reset
            reset, refetch              | clear, cancel 1, settle all, next reset for library w0 | s1                       | -success -value -live values 0 by reset
            yield 1                     | accept                                                 | 1 subscribed live s1     | +partial values 2
            attempt of 1 failed         | -                                                      | 1 subscribed s1          | +fetching -live failures 1
            end 1 success               | settle 1                                               | s1                       | -live
            end 1 failure               | settle 1                                               | s1                       | -success +failure -live errors 1 failures 1
            end 1 cancelled             | restore, settle 1                                      | s1                       | -live by cancelled
            stream 1                    | accept, rebase, settle 1                               | 1 subscribed live s1     | values 2
            yield 0                     | ignored                                                | 1 subscribed live s1     | -
            attempt of 0 failed         | ignored                                                | 1 subscribed live s1     | -
            end 0 success               | ignored                                                | 1 subscribed live s1     | -
            begin private               | join 2                                                 | 1 subscribed live s1 p1  | +fetching by manual
            """
        ),
        MachineTable(
            "a stream invalidated before its first element",
            after: [.subscribe, .fetch, .invalidate(.active)],
            """
            fetch                       | join next                                              | 1 subscribed w1 n1 old then /a s1   | -
            refresh                     | -                                                      | 1 subscribed w1 old then /a s1      | -
            subscribe                   | -                                                      | 1 subscribed w1 old then /a s2      | -
            look                        | -                                                      | 1 subscribed w1 old then /a s2      | -
            unsubscribe                 | -                                                      | 1 subscribed w1 old then /a         | -
            unsubscribe, finish         | -                                                      | 1 subscribed w1 old then /a         | -
            leave 1                     | -                                                      | 1 subscribed old then /a s1         | -
            leave 1, finish             | -                                                      | 1 subscribed old then /a s1         | -
            invalidate active           | -                                                      | 1 subscribed w1 old then /a s1      | -
            invalidate all              | -                                                      | 1 subscribed w1 old then /a s1      | -
            invalidate none             | -                                                      | 1 subscribed w1 old then /a s1      | -
            invalidate active, disabled | -                                                      | 1 subscribed w1 old then /a s1      | -
            invalidate all, disabled    | -                                                      | 1 subscribed w1 old then /a s1      | -
            write                       | accept, rebase                                         | 1 subscribed w1 old over then /a s1 | -invalidated +success +value values 1 by written
            write, disabled             | accept, rebase                                         | 1 subscribed w1 old over then /a s1 | -invalidated +success +value values 1 by written
            write failure               | rebase                                                 | 1 subscribed w1 old over then /a s1 | +failure errors 1 by written
            cancel                      | restore, cancel 1, settle all                          | s1                                  | -fetching by cancelled
            reset                       | clear, cancel 1, settle all                            | s1                                  | -fetching -invalidated by reset
            reset, refetch              | clear, cancel 1, settle all, next reset for library w0 | s1                                  | -fetching -invalidated by reset
            yield 1                     | accept                                                 | 1 subscribed w1 old then /a s1      | +success +value +partial values 1 by subscribed
            attempt of 1 failed         | -                                                      | 1 subscribed w1 old then /a s1      | failures 1 by subscribed
            end 1 success               | accept, settle 1, next /a for library w0               | s1                                  | -fetching +success +value values 1 by subscribed
            end 1 failure               | settle 1, next /a for library w0                       | s1                                  | -fetching +failure errors 1 failures 1 by subscribed
            end 1 cancelled             | restore, settle 1, next /a for library w0              | s1                                  | -fetching by cancelled
            yield 0                     | ignored                                                | 1 subscribed w1 old then /a s1      | -
            attempt of 0 failed         | ignored                                                | 1 subscribed w1 old then /a s1      | -
            end 0 success               | ignored                                                | 1 subscribed w1 old then /a s1      | -
            begin private               | join 2                                                 | 1 subscribed w1 old then /a s1 p1   | by manual
            """
        ),
    ]
}
