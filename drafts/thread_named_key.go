package drafts

import (
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// ThreadNamedKey is the second article's lock, whose key contains the name of
// the thread. Everybody has a lock of their own, and nobody is kept out
// (ThreadNamedKey). In v6_reentrant_hash the key names what is locked, and the
// value who locked it.
type ThreadNamedKey struct{ *hashLock }

// NewThreadNamedKey returns a handle for a thread on "the" lock.
func NewThreadNamedKey(rdb *redis.Client, key string, thread int, lease time.Duration) ThreadNamedKey {
	return ThreadNamedKey{newHash(rdb, key+":thread-"+strconv.Itoa(thread), lease)}
}
