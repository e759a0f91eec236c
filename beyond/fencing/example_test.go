package fencing_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"lockstep/beyond/fencing"
)

func Example() {
	server, err := miniredis.Run() // a Redis in this process
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	rdb := redis.NewClient(&redis.Options{Addr: server.Addr()})

	ctx := context.Background()
	rdb.Set(ctx, "inventory01", 10, 0)
	lock, err := fencing.New(rdb, "lock:stock", 30*time.Second)
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

	left, err := fencing.NewShop(rdb, "inventory01").Sell(ctx, lock.Token())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("sold under token %d, %d left\n", lock.Token(), left)

	// Output: sold under token 1, 9 left
}
