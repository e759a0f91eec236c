package wakeup_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"lockstep/beyond/wakeup"
)

func Example() {
	server, err := miniredis.Run() // a Redis in this process
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	rdb := redis.NewClient(&redis.Options{Addr: server.Addr()})

	ctx := context.Background()
	lock, err := wakeup.New(rdb, "lock:stock", 30*time.Second)
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
