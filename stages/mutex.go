package stages

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// mutex is where everybody starts: a mutex of the process. It keeps goroutines
// apart, and knows nothing of the other server behind the load balancer
// (TwoServers).
//
// It polls, so that a wait can end with its context like that of every stage.
type mutex struct{ mu sync.Mutex }

var errMutexNotHeld = errors.New("lock: not held")

func (m *mutex) TryLock(ctx context.Context) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, fmt.Errorf("acquire: %w", err)
	}
	return m.mu.TryLock(), nil
}

func (m *mutex) Lock(ctx context.Context) error {
	for {
		ok, err := m.TryLock(ctx)
		if err != nil || ok {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("acquire: %w", ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (m *mutex) Unlock(context.Context) error {
	if m.mu.TryLock() { // unlocking a free sync.Mutex would end the program
		m.mu.Unlock()
		return fmt.Errorf("release: %w", errMutexNotHeld)
	}
	m.mu.Unlock()
	return nil
}
