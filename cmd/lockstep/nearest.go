package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// unknown says that there is no such thing as word, and which of names was meant
// instead, or else where to look.
func unknown(kind, word string, names []string, look string) error {
	if name := nearest(word, names); name != "" {
		look = fmt.Sprintf("did you mean %s?", name)
	}
	return fmt.Errorf("there is no %s %s; %s", kind, quoted(word), look)
}

var plain = regexp.MustCompile(`^[\w./-]{1,40}$`)

// quoted is a word as it can stand in a line: in quotes if it is an odd one.
func quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return strconv.Quote(word)
}

// nearest is the name that word was most likely meant to be: one that it is a
// part of, or else one that is a few letters away. It is empty where more than
// half of word would be wrong. Of two that are as near it is the later one, which
// for a stage is the better lock.
func nearest(word string, names []string) string {
	if utf8.RuneCountInString(word) < 2 { // a letter is part of almost everything
		return ""
	}
	best, least := "", utf8.RuneCountInString(strings.TrimLeft(word, "-"))/2
	for _, name := range names {
		away := distance(fold(word), fold(name))
		if strings.Contains(fold(name), fold(word)) {
			away = 0
		}
		if away <= least {
			best, least = name, away
		}
	}
	return best
}

// distance is how many letters must be put in, left out or changed to get from a
// to b (Levenshtein).
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1) // distances from what is done of a to each start of b
	for j := range row {
		row[j] = j
	}
	for i, r := range from {
		corner := row[0]
		row[0] = i + 1
		for j, s := range to {
			change := corner
			if r != s {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(to)]
}
