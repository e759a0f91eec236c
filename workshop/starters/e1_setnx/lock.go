// Package setnx is your lock for the exercise e1_setnx. README.md tells what to
// build, and lock_test.go has a line for each check.
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

// Lock is one flow of control's handle on a lock. It is not for sharing: make
// one for each request, they cost nothing.
//
// Your turn: mu lives in this process, and another server looks at another one.
// Keep the lock where both look, in Redis under key. TestTwoServers shows what
// happens until then.
type Lock struct {
	rdb *redis.Client
	key string
	mu  sync.Mutex
}

// New returns a handle on the lock that key names. Nothing is sent yet.
//
// Your turn: without a client, or with an empty key, there can be no lock. Say so
// here (TestBadInput).
func New(rdb *redis.Client, key string) (*Lock, error) {
	return &Lock{rdb: rdb, key: key}, nil
}

// TryLock takes the lock if it is free and reports whether it did. It does not
// wait.
//
// Your turn: a lock that is taken is an answer, and no answer is an error
// (TestTakenLock, TestUnanswered).
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
//
// Your turn: after it the next one gets in, on whichever server (TestFreeLock),
// and the caller hears of it if Redis did not (TestUnanswered).
func (l *Lock) Unlock(context.Context) error {
	l.mu.TryLock() // unlocking a free sync.Mutex would end the program
	l.mu.Unlock()
	return nil
}
