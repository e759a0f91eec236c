package drafts

import "context"

// DoWithoutDefer is how a lock is used before somebody has thought of panics:
// lock, work, unlock, one after the other. A panic in the business skips the
// unlock (Panic). v1_setnx defers it.
func DoWithoutDefer(ctx context.Context, l locker, business Business) (string, error) {
	if err := l.Lock(ctx); err != nil {
		return "", err
	}
	answer, err := business(ctx)
	if err != nil {
		return "", err
	}
	return answer, l.Unlock(ctx)
}
