package faults

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Two flows of an instance share its connections, and which of them gets which
// is luck. So that the door can tell them apart, each command of a second flow
// carries a signature: one word more, which the hook on the client adds and the
// proxy takes away. Neither the code under study nor the server sees it.
//
// The first flow needs none. Nor has a goroutine one whose context does not come
// from [Client.Do], like a watchdog's: it passes with the first flow.
const signature = "\x00lockstep: flow "

// flowKey is the key of a context's flow: a number from 0.
type flowKey struct{}

// signedCmd is a command with a signature. The command itself stays as it is,
// because its words may belong to the caller.
type signedCmd struct {
	redis.Cmder
	flow int
}

// Args are the words that go over the wire.
func (c signedCmd) Args() []any {
	return append(slices.Clone(c.Cmder.Args()), signature+strconv.Itoa(c.flow))
}

// signed is the command as the flow of ctx sends it.
func signed(ctx context.Context, cmd redis.Cmder) redis.Cmder {
	if flow, _ := ctx.Value(flowKey{}).(int); flow > 0 {
		return signedCmd{cmd, flow}
	}
	return cmd
}

// signedBatch signs one command of a pipeline or transaction, the last but one
// or the only one: go-redis wants to find MULTI and EXEC as it made them.
func signedBatch(ctx context.Context, cmds []redis.Cmder) []redis.Cmder {
	cmds = slices.Clone(cmds)
	i := max(0, len(cmds)-2)
	cmds[i] = signed(ctx, cmds[i])
	return cmds
}

// signedBy takes the signature off a command, and returns the flow that it names:
// 0 if there is none.
func signedBy(words []string) (flow int, command []string) {
	last := len(words) - 1
	number, ok := strings.CutPrefix(words[last], signature)
	if !ok {
		return 0, words
	}
	flow, _ = strconv.Atoi(number) // nobody else writes these
	return flow, words[:last]
}
