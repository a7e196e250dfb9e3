import TestSupport
import Testing

@testable import QueryKit

@Suite(.timeLimit(.minutes(5))) struct MailboxTests {
    @Test func `an element that nobody took may use the mailbox when it ends`() async {
        let mailbox = Mailbox<Mortal>()
        let ends = Recorder<Int>()
        // With the lock held these would never return.
        mailbox.put(
            Mortal { [weak mailbox] in
                mailbox?.put(Mortal())
                ends.note(1)
            }
        )
        mailbox.put(Mortal())
        #expect(ends.all == [1])
        mailbox.put(
            Mortal { [weak mailbox] in
                mailbox?.close()
                ends.note(2)
            }
        )
        mailbox.close()
        #expect(ends.all == [1, 2])
        #expect(await mailbox.take() == nil)
    }
}
