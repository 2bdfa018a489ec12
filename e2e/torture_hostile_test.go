//go:build torture

package e2e_test

import (
	"fmt"
	"testing"
	"time"
)

func TestTortureUsersBesideHostileQueries(t *testing.T) {
	for _, n := range []int{16, 32, 64} {
		t.Run(fmt.Sprint(n), func(t *testing.T) { besideAttack(t, n, tortureTime(time.Minute), 20*time.Millisecond) })
	}
}
