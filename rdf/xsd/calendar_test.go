package xsd_test

import (
	"strings"
	"testing"

	"trails/rdf"
	"trails/rdf/xsd"
)

// read reads "text^^type", and a number by itself.
func read(text string) rdf.Term {
	lexical, local, typed := strings.Cut(text, "^^")
	if !typed {
		return rdf.Literal(text, rdf.NumberType(text))
	}
	return rdf.Literal(lexical, rdf.IRI(rdf.XSDNS+local))
}

func TestDatesTimesAndDurationsAreComputedWith(t *testing.T) {
	for of, want := range map[string]string{
		// Of XPath Functions 3.1, sections 8.4, 9.7 and 9.8.
		"P2Y11M^^yearMonthDuration + P3Y3M^^yearMonthDuration":                 "P6Y2M^^yearMonthDuration",
		"P2Y11M^^yearMonthDuration - P3Y3M^^yearMonthDuration":                 "-P4M^^yearMonthDuration",
		"P2Y11M^^yearMonthDuration * 2.3":                                      "P6Y9M^^yearMonthDuration",
		"P2Y11M^^yearMonthDuration / 1.5":                                      "P1Y11M^^yearMonthDuration",
		"P3Y4M^^yearMonthDuration / -P1Y4M^^yearMonthDuration":                 "-2.5^^decimal",
		"P2DT12H5M^^dayTimeDuration + P5DT12H^^dayTimeDuration":                "P8DT5M^^dayTimeDuration",
		"P2DT12H^^dayTimeDuration - P1DT10H30M^^dayTimeDuration":               "P1DT1H30M^^dayTimeDuration",
		"PT2H10M^^dayTimeDuration * 2.1":                                       "PT4H33M^^dayTimeDuration",
		"P4D^^dayTimeDuration / P2D^^dayTimeDuration":                          "2^^decimal",
		"P1D^^dayTimeDuration / 3":                                             "PT8H^^dayTimeDuration",
		"PT1S^^dayTimeDuration / 3":                                            "PT0.333333333S^^dayTimeDuration",
		"2000-10-30T06:12:00-05:00^^dateTime - 1999-11-28T09:00:00Z^^dateTime": "P337DT2H12M^^dayTimeDuration",
		"2000-10-30^^date - 1999-11-28^^date":                                  "P337D^^dayTimeDuration",
		"2000-10-30+05:00^^date - 1999-11-28Z^^date":                           "P336DT19H^^dayTimeDuration",
		"11:12:00Z^^time - 04:00:00Z^^time":                                    "PT7H12M^^dayTimeDuration",
		"11:00:00-05:00^^time - 21:30:00+05:30^^time":                          "PT0S^^dayTimeDuration",
		"2000-10-30T11:12:00^^dateTime + P1Y2M^^yearMonthDuration":             "2001-12-30T11:12:00^^dateTime",
		"2000-10-30T11:12:00^^dateTime + P3DT1H15M^^dayTimeDuration":           "2000-11-02T12:27:00^^dateTime",
		"2000-10-30^^date - P1Y2M^^yearMonthDuration":                          "1999-08-30^^date",
		"2000-02-29Z^^date - P1Y^^yearMonthDuration":                           "1999-02-28Z^^date",
		"2004-10-30Z^^date + P2DT2H30M0S^^dayTimeDuration":                     "2004-11-01Z^^date",
		"2000-10-30^^date - P3DT1H15M^^dayTimeDuration":                        "2000-10-26^^date",
		"11:12:00^^time + P3DT1H15M^^dayTimeDuration":                          "12:27:00^^time",
		"08:20:00-05:00^^time - P23DT10H10M^^dayTimeDuration":                  "22:10:00-05:00^^time",
		// Of XML Schema 1.1 Part 2, appendix E.3.3.
		"2000-01-12T12:13:14Z^^dateTime + P1Y3M5DT7H10M3.3S^^duration": "2001-04-17T19:23:17.3Z^^dateTime",
		"2000-01-31^^date + P1M^^duration":                             "2000-02-29^^date",
		"-0001-12-31^^date + P1D^^duration":                            "0000-01-01^^date",
		"0000-02-28T23:59:59.5^^dateTime + PT0.5S^^dayTimeDuration":    "0000-02-29T00:00:00^^dateTime",
		"2024-12-31T24:00:00Z^^dateTime + PT1S^^dayTimeDuration":       "2025-01-01T00:00:01Z^^dateTime",
		"P1M^^yearMonthDuration + P1D^^dayTimeDuration":                "P1M1D^^duration",
		"P1M2D^^duration - P1M^^yearMonthDuration":                     "P2D^^duration",
		"P2M4D^^duration / 2":                                          "P1M2D^^duration",
		"P1D^^duration + 2024-05-31T00:00:00Z^^dateTimeStamp":          "2024-06-01T00:00:00Z^^dateTime",
		"3 * -PT1S^^dayTimeDuration":                                   "-PT3S^^dayTimeDuration",
		// What has no value.
		"2024-01-01^^date + 2024-01-01^^date":                            "",
		"2024-01-01^^date - 2024-01-01T00:00:00^^dateTime":               "",
		"2024-01-01Z^^date - 2024-01-01^^date":                           "",
		"12:00:00^^time + P1M^^yearMonthDuration":                        "",
		"P1M^^yearMonthDuration - P1D^^dayTimeDuration":                  "",
		"P3M1D^^duration / 2":                                            "",
		"P1D^^dayTimeDuration / P1M^^yearMonthDuration":                  "",
		"P1D^^dayTimeDuration / 0":                                       "",
		"P1D^^dayTimeDuration / PT0S^^dayTimeDuration":                   "",
		"P1D^^dayTimeDuration * P1D^^dayTimeDuration":                    "",
		"P1D^^dayTimeDuration + 1":                                       "",
		"2024^^gYear + P1Y^^yearMonthDuration":                           "",
		"P99999999999999999999D^^dayTimeDuration + P1D^^dayTimeDuration": "",
		"9999999999-12-31^^date + P1D^^dayTimeDuration":                  "",
		"2024-13-01^^date + P1D^^dayTimeDuration":                        "",
	} {
		part := strings.Split(of, " ")
		f := map[string]func(a, b rdf.Term) (rdf.Term, error){"+": xsd.AddTime, "-": xsd.SubTime, "*": xsd.MulTime, "/": xsd.DivTime}[part[1]]
		got, err := f(read(part[0]), read(part[2]))
		switch {
		case want == "" && err == nil:
			t.Errorf("%s is %v, want nothing", of, got)
		case want != "" && got != read(want):
			t.Errorf("%s is %v, %v, want %s", of, got, err, want)
		}
	}
}

func TestASumOfDurationsIsTheSameInAnyOrder(t *testing.T) {
	for _, order := range [][]string{
		{"P1M^^duration", "-P1D^^duration", "P2D^^duration"}, {"P2D^^duration", "P1M^^duration", "-P1D^^duration"}, {"-P1D^^duration", "P1M^^duration", "P2D^^duration"},
	} {
		var sum xsd.Durations
		for _, text := range order {
			if err := sum.Add(read(text)); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := sum.Sum(); err != nil || got != read("P1M1D^^duration") {
			t.Errorf("%v: %v, %v", order, got, err)
		}
	}
}
