//go:build torture

package e2e_test

import (
	"testing"
	"time"
)

func TestTortureSixtyFourClientsOnEightBranches(t *testing.T) {
	lasts := tortureTime(time.Minute)
	n := writeOnBranches(t, lasts)
	t.Logf("torture: %d clients on %d branches in %d processes for %s: %d commits acknowledged, each in its history once (%d by if_commit, %d merges), %d refused by if_commit, %d merges by clashes, %d reads, %d answers of busy, verified",
		pairClients, pairBranches, pairServers, lasts, n.acknowledged, n.chained, n.merges, n.refused, n.clashes, n.reads, n.busy)
}
