package drafts

import (
	"context"
	"time"
)

// DoAndForget is the first article's sale(): a caller that finds the lock taken
// sleeps and calls itself, and drops what the inner call returns. The item is
// sold, and the customer who had to wait sees an empty page (EmptyAnswer).
// v1_setnx returns what the inner call returns.
func DoAndForget(ctx context.Context, l locker, business Business) (answer string, err error) {
	ok, err := l.TryLock(ctx)
	if err != nil {
		return "", err
	}
	if !ok {
		time.Sleep(retryEvery)
		_, _ = DoAndForget(ctx, l, business) // the bug is the lesson
		return answer, nil
	}
	defer func() { _ = l.Unlock(ctx) }()
	return business(ctx)
}
