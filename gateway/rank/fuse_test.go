package rank_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"trails/gateway/rank"
)

func TestTwoRankingsAreFused(t *testing.T) {
	x := rank.New([]rank.Document{
		{ID: "a", Name: "feed_cat", Description: "Feed the cat."},
		{ID: "b", Name: "wash_car", Description: "Wash the car."},
		{ID: "c", Name: "paint_car", Description: "Paint it."},
		{ID: "d", Group: "g", Name: "drive_v1", Description: "Drive about in a thing with wheels."},
		{ID: "e", Group: "g", Name: "drive_v2", Description: "Drive about in a thing with wheels."},
	})
	ids := func(request string, near []float64, most int) (all []string, scores []float64) {
		for _, hit := range x.Fuse(request, near, most) {
			all, scores = append(all, string(rune('a'+hit.Document))), append(scores, hit.Score)
		}
		return all, scores
	}
	for _, c := range []struct {
		says, request string
		near          []float64
		most          int
		want          []string
	}{
		{"what is first in both is first", "feed the cat", []float64{0.9, 0.1, 0, 0, 0}, 5, []string{"a", "b"}},
		{"what shares no word is found", "something to ride", []float64{-0.5, 0.2, 0.1, 0.7, 0.6}, 5, []string{"d", "b", "c"}},
		{"of versions the nearer one counts", "something to ride", []float64{0, 0, 0, 0.6, 0.7}, 5, []string{"e"}},
		{"of versions the one counts that the words name", "drive 1", []float64{0, 0, 0, 0.6, 0.7}, 5, []string{"d"}},
		{"worth the same, the words say which is first", "wash", []float64{0.4, 0, 0, 0, 0}, 5, []string{"b", "a"}},
		{"equally near, the ids say", "zzz", []float64{0.4, 0.4, 0.4, 0, 0}, 2, []string{"a", "b"}},
		{"nothing is near", "zzz", []float64{0, -1, 0, 0, 0}, 5, nil},
		{"none are wanted", "car", []float64{1, 1, 1, 1, 1}, 0, nil},
	} {
		if got, _ := ids(c.request, c.near, c.most); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.says, got, c.want)
		}
	}
	if _, scores := ids("feed the cat", []float64{0.9, 0.1, 0, 0, 0}, 5); scores[0] != 1 || scores[1] >= 0.5 {
		t.Errorf("the scores are %v", scores)
	}
}

// A ranking that has nothing to say leaves that by words as it is, any two answers of the same
// question are the same, and a shorter one is the beginning of a longer one.
func TestFusingIsSteady(t *testing.T) {
	documents := catalog(t, 100)
	x := rank.New(documents)
	words := []string{"create", "issue", "list", "file", "search", "send", "message", "delete", "report", "payment"}
	rapid.Check(t, func(t *rapid.T) {
		request := ""
		for _, word := range rapid.SliceOfN(rapid.SampledFrom(words), 1, 4).Draw(t, "request") {
			request += word + " "
		}
		documentsOf := func(hits []rank.Hit) (all []int) {
			for _, hit := range hits {
				all = append(all, hit.Document)
			}
			return all
		}
		if got, want := documentsOf(x.Fuse(request, make([]float64, len(documents)), 20)), documentsOf(x.Search(request, 20)); !slices.Equal(got, want) {
			t.Fatalf("without a second ranking %v, want %v", got, want)
		}
		near := rapid.SliceOfN(rapid.Float64Range(-1, 1), len(documents), len(documents)).Draw(t, "near")
		all := x.Fuse(request, near, 50)
		if again := x.Fuse(request, near, 50); !reflect.DeepEqual(all, again) {
			t.Fatalf("%v, and then %v", all, again)
		}
		if few := x.Fuse(request, near, 7); !reflect.DeepEqual(few, all[:min(7, len(all))]) {
			t.Fatalf("of %v the first are %v", all, few)
		}
		for i, hit := range all {
			if hit.Score <= 0 || hit.Score > 1 || i > 0 && hit.Score > all[i-1].Score {
				t.Fatalf("the scores are not in order: %v", all)
			}
		}
	})
}
