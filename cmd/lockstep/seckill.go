package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func seckillCommand() *cobra.Command {
	var s sale
	asJSON := false
	cmd := &cobra.Command{
		Use:   "seckill STAGE",
		Short: "Hold the articles' flash sale under a lock",
		Long: `Hold the flash sale of the articles: all buyers come at once, spread over the
instances of the shop, and each buys one item under the lock of the stage. Time
is fake. No fault strikes but the one that you ask for: a payment that outlives
its lease.

With --json: "stage", "buyers", "stock", "instances", "payment_ns" and
"lease_ns" are what was asked for; "sold", "left" and "oversold" (to more than
one) count items; "waiting" are buyers who never got their turn; "errors" has
how many buyers saw each; "took_ns" is fake time; "commands" are all that were
sent.`,
		Example: "  lockstep seckill v0\n" +
			"  lockstep seckill v3 --buyers 50 --stock 500\n" +
			"  lockstep seckill v3 --lease 9ms",
		Args: between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if s.stage, err = findStage(args[0]); err != nil {
				return err
			}
			if err := s.check(); err != nil {
				return err
			}
			begun := time.Now()
			result, err := s.hold()
			if err != nil {
				return err
			}
			if asJSON {
				return sayJSON(cmd, s.report(result))
			}
			return say(cmd, paint(s.screen(result, time.Since(begun))))
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.IntVar(&s.buyers, "buyers", 50, "how many want an item")
	flags.IntVar(&s.stock, "stock", 500, "how many items there are")
	flags.IntVar(&s.instances, "instances", 2, "how many instances of the shop sell them")
	flags.DurationVar(&s.payment, "payment", 30*time.Millisecond, "between the check and the write")
	flags.DurationVar(&s.lease, "lease", 30*time.Second, "of the lock, on stages that have one")
	flags.BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

// What a sale may be at most, so that it ends in seconds.
const (
	mostBuyers    = 200
	mostStock     = 1_000_000
	mostInstances = 10
	longest       = time.Hour
	mostTries     = 60_000
)

// check refuses a sale that makes no sense, or that would take too long.
func (s sale) check() error {
	for _, n := range []struct {
		flag       string
		value      int
		least, top int
	}{
		{"buyers", s.buyers, 1, mostBuyers},
		{"stock", s.stock, 1, mostStock},
		{"instances", s.instances, 1, mostInstances},
	} {
		if n.value < n.least || n.value > n.top {
			return fmt.Errorf("--%s must be between %d and %d, and is %d", n.flag, n.least, n.top, n.value)
		}
	}
	switch {
	case s.payment < 0 || s.payment > longest:
		return fmt.Errorf("--payment must be between 0s and %v, and is %v", longest, s.payment)
	case s.lease < time.Millisecond || s.lease > longest || s.lease%time.Millisecond != 0:
		return fmt.Errorf("--lease must be whole milliseconds between 1ms and %v, and is %v", longest, s.lease)
	case s.tries() > mostTries:
		return fmt.Errorf("this sale would ask for the lock about %d times, and %d is the limit: "+
			"fewer buyers, or a shorter payment", s.tries(), mostTries)
	}
	return nil
}

// screen says how it went, and what that does and doesn't show.
func (s sale) screen(r sold, real time.Duration) string {
	var b strings.Builder
	lease := fmt.Sprintf("lease %v", s.lease)
	if !s.stage.Lease {
		lease = "no lease"
	}
	b.WriteString(wrap(fmt.Sprintf("%s: buyers %d, stock %d, instances %d, payment %v, %s",
		s.stage, s.buyers, s.stock, s.instances, s.payment, lease)) + "\n")
	for _, n := range []struct {
		name  string
		value int
	}{{"sold", r.Sold}, {"left", r.Left}, {"oversold", r.SoldTwice()}, {"waiting", r.Waiting}} {
		if n.name == "waiting" && n.value == 0 {
			continue
		}
		fmt.Fprintf(&b, "%-10s%7d\n", n.name, n.value)
	}
	for _, what := range slices.Sorted(maps.Keys(r.Errors)) {
		fmt.Fprintf(&b, "%-10s%7d  %s\n", "told", r.Errors[what], what)
	}
	fmt.Fprintf(&b, "%-10s%7d\n", "commands", r.Commands)
	fmt.Fprintf(&b, "%-10s%7v of fake time, %v of yours\n\n", "time", r.Took, real.Round(time.Millisecond))
	b.WriteString(wrap(s.verdict(r)))
	b.WriteString(s.next(r))
	return b.String()
}

// outlived reports whether a payment lasts longer than the lease that it is
// made under.
func (s sale) outlived() bool { return s.stage.Lease && s.payment >= s.lease }

// verdict is what the sale shows, and what it does not.
func (s sale) verdict(r sold) string {
	switch {
	case r.SoldTwice() > 0:
		return fmt.Sprintf("✗ %d items were sold twice: two buyers were inside at once.", r.SoldTwice())
	case r.Waiting > 0:
		return fmt.Sprintf("✗ %d buyers never got their turn: the lock stayed taken.", r.Waiting)
	case s.stage.Acquire == "" && s.instances == 1:
		return "✓ No item was sold twice: there is one instance, and a mutex is enough."
	case s.stage.Acquire == "":
		return "✓ No item was sold twice: no two instances sold at the same time."
	case s.outlived() && s.stage.Renew == "":
		return "✓ No item was sold twice: nobody looked between the end of a lease and of its payment."
	case s.outlived():
		return "✓ No item was sold twice: each payment outlived the lease, which was renewed."
	case s.stage.Lease:
		return "✓ No item was sold twice: each payment ended before the lease, and no fault struck."
	default:
		return "✓ No item was sold twice: no fault struck."
	}
}

// next says what to run next.
func (s sale) next(r sold) string {
	oversold, stage := r.SoldTwice() > 0, shortName(s.stage)
	switch {
	case oversold && s.stage.Acquire == "":
		return try("Second by second:", "show TwoServers "+stage)
	case oversold && s.outlived():
		return try("Second by second:", "show ExpiryMidBusiness "+stage)
	case oversold || r.Waiting > 0:
		return try("What beats it:", "matrix")
	case s.stage.Acquire == "":
		return try("What breaks it:", "seckill "+stage)
	case s.outlived() && s.stage.Renew != "":
		return try("What breaks it:", "show StopTheWorld "+stage)
	case s.stage.Lease:
		return try("With a lease that is shorter than the payment:", "seckill "+stage+" --lease 9ms")
	default:
		return try("What breaks it:", "show Crash "+stage)
	}
}

// saleReport is a sale for machines.
type saleReport struct {
	Stage     string         `json:"stage"`
	Buyers    int            `json:"buyers"`
	Stock     int            `json:"stock"`
	Instances int            `json:"instances"`
	Payment   time.Duration  `json:"payment_ns"`
	Lease     time.Duration  `json:"lease_ns"`
	Sold      int            `json:"sold"`
	Left      int            `json:"left"`
	Oversold  int            `json:"oversold"`
	Waiting   int            `json:"waiting"`
	Errors    map[string]int `json:"errors"`
	Took      time.Duration  `json:"took_ns"`
	Commands  int            `json:"commands"`
}

func (s sale) report(r sold) saleReport {
	return saleReport{
		Stage: s.stage.Name, Buyers: s.buyers, Stock: s.stock, Instances: s.instances, Payment: s.payment, Lease: s.lease,
		Sold: r.Sold, Left: r.Left, Oversold: r.SoldTwice(), Waiting: r.Waiting,
		Errors: r.Errors, Took: r.Took, Commands: r.Commands,
	}
}
