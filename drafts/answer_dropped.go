package drafts

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// AnswerDropped is the second article's lock(): it runs the script and does not
// look at the answer. Everybody "holds" the lock (ResultIgnored). From v1_setnx
// on each stage acts on what Redis says.
type AnswerDropped struct{ *hashLock }

// NewAnswerDropped returns a handle on the lock that key names.
func NewAnswerDropped(rdb *redis.Client, key string, lease time.Duration) AnswerDropped {
	return AnswerDropped{newHash(rdb, key, lease)}
}

// TryLock says that it took the lock.
func (l AnswerDropped) TryLock(ctx context.Context) (bool, error) {
	_, err := l.hashLock.TryLock(ctx)
	return err == nil, err
}

// Lock returns as soon as Redis has answered, whatever it said.
func (l AnswerDropped) Lock(ctx context.Context) error {
	_, err := l.TryLock(ctx)
	return err
}
