package watchdog

import (
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// Kind says where a lock is kept.
type Kind string

// Redis is the one kind there is so far. The articles promise MYSQL and
// ZOOKEEPER as well; asking for them is an error, never a nil lock.
const Redis Kind = "REDIS"

// ErrKind means that a Factory has no locks of the kind it was asked for.
var ErrKind = errors.New("lock: unknown kind")

// Factory stands for one flow of control: one request, one job. All locks that
// it makes have the same owner, so a function that the holder calls may make
// its own lock on the same key and enter.
//
// Go has no thread identity to find out who is asking, as the articles do with
// uuid:threadId. So the flow carries its factory with it, the way it carries
// its context, and starts no second goroutine with it.
type Factory struct {
	rdb   *redis.Client
	owner string
	lease time.Duration
}

// NewFactory returns a factory whose owner is new and unique. The error is
// ErrNoClient or ErrLease.
func NewFactory(rdb *redis.Client, lease time.Duration) (*Factory, error) {
	owner := rand.Text()
	if _, err := New(rdb, "any", owner, lease); err != nil {
		return nil, err
	}
	return &Factory{rdb: rdb, owner: owner, lease: lease}, nil
}

// New returns a handle on the lock that key names. The error is ErrKind or
// ErrNoKey.
func (f *Factory) New(kind Kind, key string) (*Lock, error) {
	if kind != Redis {
		return nil, fmt.Errorf("%w: %q; this factory makes %q", ErrKind, kind, Redis)
	}
	return New(f.rdb, key, f.owner, f.lease)
}
