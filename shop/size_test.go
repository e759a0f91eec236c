//go:build !race

package shop_test

const (
	// buyers come to the flash sale, half of them to each server.
	buyers = 50

	// wants is how many items each buyer wants, when there are enough for all.
	wants = 10
)
