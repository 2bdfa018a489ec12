package admin

import (
	"net/http"
)

// doctorAnswer is what the doctor says.
type doctorAnswer struct {
	OK     bool          `json:"ok"`
	Checks []doctorCheck `json:"checks"`
}

type doctorCheck struct {
	Name     string          `json:"name"`
	Result   string          `json:"result"`
	Detail   string          `json:"detail"`
	Findings []doctorFinding `json:"findings"`
}

func (c doctorCheck) ok() bool { return c.Result == "ok" }

// doctorFinding is what is wrong with a capability, or with all of them.
type doctorFinding struct {
	Capability string `json:"capability"`
	Field      string `json:"field"`
	Rule       string `json:"rule"`
	Says       string `json:"says"`
	Mend       string `json:"mend"`
	Listed     bool   `json:"-"` // the capability has a page
}

// doctor answers with all that the doctor found, finding by finding.
func (s *site) doctor(w http.ResponseWriter, r *http.Request) error {
	if err := queryOf(r).err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	var answer doctorAnswer
	if err := a.read("trails://doctor", &answer); err != nil {
		return err
	}
	listed, err := a.listed()
	if err != nil {
		return err
	}
	for _, c := range answer.Checks {
		for i, f := range c.Findings {
			c.Findings[i].Listed = listed[f.Capability]
		}
	}
	return s.respond(w, r, http.StatusOK, page{
		Title: "Health", Nav: "overview", Live: live{Mode: "any", Head: a.head}, Main: answer.main,
		Twins: []twin{{"JSON", "application/json", "/doctor"}},
	})
}
