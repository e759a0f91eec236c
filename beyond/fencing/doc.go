// Package fencing gives each hold a number that only grows, and has the shop
// refuse whoever comes with a lower one than it has seen.
//
// StopTheWorld forces it. A process sleeps through its lease, watchdog and all,
// and writes when it wakes up. No lock with a lease can prevent that: between your
// last look at the lock and the arrival of your write there is always time for a
// lease to end. So somebody else has to look, as late as can be: whoever takes the
// write. The number that tells it who is late is called a fencing token (Martin
// Kleppmann, "How to do distributed locking", 2016).
//
// The lock is that of lockstep/v5_lua_release, and counts its holds in a key that
// has no lease: the count outlives every hold. The [Shop] keeps the highest token
// that it has seen, and looks and writes in one script.
//
// It costs one key more for each lock and one for each stock, which stay; the
// commands are as many as before. And it costs that every resource has to play
// along. One that takes whatever comes is not protected, whatever the lock does.
//
// What still breaks it:
//
//   - LateButFirst: a fence orders writes, and keeps nobody out. The late one who
//     writes before the new holder's first write gets through, because the shop has
//     not seen a higher token yet. Had the new holder read before that, it sells the
//     same item again. A shop that writes only if the stock is still what the seller
//     has read, refuses that too, and then ask yourself what the lock is for.
//   - A token is as good as its counter. If Redis forgets it, in a failover say,
//     tokens begin again at 1, and the shop refuses those who are in the right.
//   - When the reply to a sale is lost, go-redis sends it again. If a later holder
//     has written between the two, you get ErrStale for a sale that took place.
//   - All that breaks v5_lua_release besides: Reentry, LostReply, CancelledUnlock. In
//     ExpiryMidBusiness two are inside, but only one sells; the other has to give the
//     money back.
//
// Here shop and lock are in one Redis, so the script could ask for the lock itself.
// The number is for all the other places: a database, a file store, a printer.
//
// See it:
//
//	go test ./beyond/fencing -run StopTheWorld
//	go test ./beyond/fencing -v -run LateButFirst
package fencing
