package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"trails/auth/policy"
	"trails/httpapi"
	"trails/invoke"
)

// Each door of a graph refuses who has used up a budget with 429, and says when to come back.
func TestABudgetThatIsUsedUpIs429(t *testing.T) {
	e := notesEngine(t)
	h := httpapi.New(e, runtimeOptions())
	args := json.RawMessage(`{"actor":"anonymous","per":"day","calls":1}`)
	if _, err := e.Call(t.Context(), invoke.Call{Capability: "trails.meta.budget.set", Principal: policy.Local("ana", ""), Via: "go", Args: args}); err != nil {
		t.Fatal(err)
	}
	status := 0
	for _, path := range []string{"/kg/Note", "/kg/Note", "/sparql?query=ASK%7B%7D", "/invoke/snapshot"} {
		method := http.MethodGet
		if strings.HasPrefix(path, "/invoke") {
			method = http.MethodPost
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+path, nil))
		if status == 0 {
			if status = w.Code; status != http.StatusOK {
				t.Fatalf("the first request is refused: %d %s", w.Code, w.Body)
			}
			continue
		}
		var problem struct {
			Limit, Used int
			RetryAfter  int `json:"retry_after"`
			Detail      string
		}
		err := json.Unmarshal(w.Body.Bytes(), &problem)
		seconds, _ := strconv.Atoi(w.Header().Get("Retry-After"))
		if err != nil || w.Code != http.StatusTooManyRequests || seconds < 1 || seconds > 86_400 || problem.Limit != 1 || problem.Used != 1 || problem.RetryAfter != seconds ||
			!strings.HasPrefix(problem.Detail, "0 of 1 calls left in the budget of anonymous, a day; ") {
			t.Errorf("%s: %d, Retry-After %q, %s", path, w.Code, w.Header().Get("Retry-After"), w.Body)
		}
	}
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/health", nil)); w.Code != http.StatusOK {
		t.Errorf("/health is refused: %d", w.Code)
	}
}
