package reentrant_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	v6 "lockstep/v6_reentrant_hash"
)

func Example() {
	server, err := miniredis.Run() // a Redis in this process
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	rdb := redis.NewClient(&redis.Options{Addr: server.Addr()})

	ctx := context.Background()
	factory, err := v6.NewFactory(rdb, 30*time.Second) // one for each request
	if err != nil {
		log.Fatal(err)
	}
	lock, err := factory.New(v6.Redis, "lock:stock")
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

	fmt.Println("sold")

	// Output: sold
}
