package watchdog_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	v7 "lockstep/v7_watchdog"
)

func Example() {
	server, err := miniredis.Run() // a Redis in this process
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	rdb := redis.NewClient(&redis.Options{
		Addr:                  server.Addr(),
		ContextTimeoutEnabled: true, // so that time limits hold while a reply is awaited
	})

	ctx := context.Background()
	factory, err := v7.NewFactory(rdb, 30*time.Second) // one for each request
	if err != nil {
		log.Fatal(err)
	}
	lock, err := factory.New(v7.Redis, "lock:stock")
	if err != nil {
		log.Fatal(err)
	}
	if err := lock.Lock(ctx); err != nil {
		log.Fatal(err)
	}
	defer func() {
		if err := lock.Unlock(ctx); err != nil {
			log.Print(err)
		}
	}()

	select {
	case <-lock.Lost():
		fmt.Println("the lock is gone: sell nothing")
	default:
		fmt.Println("sold")
	}

	// Output: sold
}
