//go:build !race

package shop_test

// wants is how many items each of the 50 buyers wants: 500 are in stock.
const wants = 10
