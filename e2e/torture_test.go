//go:build torture

package e2e_test

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

// tortureScale is TRAILS_TORTURE_SCALE, by which numbers and durations are multiplied.
var tortureScale = func() float64 {
	text := os.Getenv("TRAILS_TORTURE_SCALE")
	if text == "" {
		return 1
	}
	scale, err := strconv.ParseFloat(text, 64)
	if err != nil || scale <= 0 {
		panic(fmt.Sprintf("TRAILS_TORTURE_SCALE is %q: give a number above 0", text))
	}
	return scale
}()

func tortureCount(n int) int { return max(1, int(float64(n)*tortureScale)) }

func tortureTime(d time.Duration) time.Duration { return time.Duration(float64(d) * tortureScale) }
