package drafts

import (
	"context"
	"time"
)

// acquireTimeout is how long the fourth article's caller waits for the lock.
const acquireTimeout = 90 * time.Millisecond

// DoAnyway is the fourth article's caller. Its acquire gives up after a while
// and returns null for "no lock"; nobody checks, and the item is sold all the
// same (ResultIgnored). With an error in its place, as in every stage, the
// caller has to look away on purpose.
func DoAnyway(ctx context.Context, l locker, business Business) (string, error) {
	limited, cancel := context.WithTimeout(ctx, acquireTimeout)
	defer cancel()
	_ = l.Lock(limited) // the bug is the lesson
	defer func() { _ = l.Unlock(ctx) }()
	return business(ctx)
}
