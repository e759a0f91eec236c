package explore

import (
	"context"
	"sync/atomic"
	"time"

	"lockstep/hazards"
	"lockstep/stages"
)

// client is one client of a run.
type client struct {
	*hazards.Client
	scene *hazards.Scene
	told  atomic.Pointer[time.Duration] // when it heard that its lock is lost: fake time since the start
}

// serve does the program once. It is the call that the client is told to do.
func (c *client) serve(p Program) (what string, call func(ctx context.Context)) {
	switch p {
	case Long:
		return "Serve", c.Request(c.inside(c.Sale(2 * c.scene.Lease)))
	case Nested:
		return "Serve", c.Request(c.inside(c.sellAfterInnerUnlock))
	case Panics:
		return "Serve", c.Request(c.inside(func(context.Context) (string, error) { panic("no such voucher") }))
	case Tries:
		return "Try", c.try
	}
	return "Serve", c.Request(c.inside(c.Sale(0)))
}

// inside is business that notes when c comes in and goes out. Meanwhile it
// listens to the lock, if that tells of a loss.
func (c *client) inside(business stages.Business) stages.Business {
	return func(ctx context.Context) (string, error) {
		c.Enter()
		defer c.Leave()
		if lock, ok := c.Handle().(teller); ok {
			done := make(chan struct{})
			defer close(done)
			go c.listen(lock.Lost(), done) // ends with the business
		}
		return business(ctx)
	}
}

// teller is a lock that tells its holder when it is lost.
type teller interface{ Lost() <-chan struct{} }

// tells reports whether c's lock is one.
func (c *client) tells() bool {
	_, ok := c.Handle().(teller)
	return ok
}

func (c *client) listen(lost, done <-chan struct{}) {
	select {
	case <-lost:
		now := c.scene.Now()
		c.told.Store(&now)
	case <-done:
	}
}

// toldBefore reports whether c had heard of the loss of its lock at a time.
func (c *client) toldBefore(sent time.Duration) bool {
	at := c.told.Load()
	return at != nil && *at <= sent
}

// warned reports whether what c does next comes after it was told.
func (c *client) warned() bool {
	next := c.scene.Now()
	for _, v := range c.AtDoor() {
		next = min(next, v.Since)
	}
	return c.toldBefore(next)
}

func (c *client) sellAfterInnerUnlock(ctx context.Context) (string, error) {
	if err := c.Handle().Lock(ctx); err != nil {
		return "", err
	}
	if err := c.Handle().Unlock(ctx); err != nil {
		return "", err
	}
	return c.Sale(0)(ctx)
}

func (c *client) try(ctx context.Context) {
	if ok, err := c.Handle().TryLock(ctx); err != nil || !ok {
		return
	}
	// The customer of a try that was too late gets no answer, whatever comes of
	// the unlock.
	defer func() { _ = c.Handle().Unlock(ctx) }()
	_, _ = c.inside(c.Sale(0))(ctx)
}
