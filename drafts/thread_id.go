package drafts

import (
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// ThreadID is the lock whose token is the number of the thread. The third
// article shows why that is not enough: every process has a thread 1
// (OwnerCollision). v4_owner uses a random token; the article puts a UUID
// before the number.
type ThreadID struct{ *stringLock }

// NewThreadID returns a handle for a thread on the lock that key names.
func NewThreadID(rdb *redis.Client, key string, thread int, lease time.Duration) ThreadID {
	l := newString(rdb, key, lease)
	l.token = "thread-" + strconv.Itoa(thread)
	return ThreadID{l}
}
