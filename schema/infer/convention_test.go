package infer_test

import (
	"testing"

	"trails/schema"
	"trails/schema/infer"
)

// TestCellsAsPeopleWriteThemAreReadByConvention holds that a reading is the one that was
// said, and that what it excludes is no value.
func TestCellsAsPeopleWriteThemAreReadByConvention(t *testing.T) {
	const none = "no value"
	dmy, mdy := infer.Conventions{Dates: "dmy"}, infer.Conventions{Dates: "mdy"}
	comma, point := infer.Conventions{Decimal: ","}, infer.Conventions{Decimal: "."}
	for _, c := range []struct {
		by             infer.Conventions
		datatype, cell string
		want           string
	}{
		{infer.Conventions{}, "boolean", "Yes", "true"}, {infer.Conventions{}, "boolean", " NO ", "false"}, {infer.Conventions{}, "boolean", "TRUE", "true"}, {infer.Conventions{}, "boolean", "maybe", "maybe"},
		{infer.Conventions{}, "boolean", "Ja", "true"}, {infer.Conventions{}, "boolean", "NEIN", "false"}, {infer.Conventions{}, "boolean", "Sí", "true"}, {infer.Conventions{}, "boolean", "não", "false"}, {infer.Conventions{}, "boolean", "Off", "false"}, {infer.Conventions{}, "string", "ja", "ja"},
		{infer.Conventions{}, "date", "2024/01/05", "2024-01-05"}, {mdy, "date", "2024/1/5", "2024-01-05"}, {infer.Conventions{}, "date", "2024.01.05", "2024-01-05"}, {infer.Conventions{}, "date", "2024/31/12", "2024/31/12"}, {infer.Conventions{}, "date", "5/1/2024", "5/1/2024"},
		{infer.Conventions{}, "date", "5 Jan 2024", "2024-01-05"}, {infer.Conventions{}, "date", "January 5, 2024", "2024-01-05"}, {infer.Conventions{}, "date", "05-JAN-2024", "2024-01-05"}, {infer.Conventions{}, "date", "5 Janvier 2024", "5 Janvier 2024"}, {infer.Conventions{}, "date", "30 Feb 2024", "30 Feb 2024"}, {infer.Conventions{}, "date", "5 Jan 24", "5 Jan 24"},
		{infer.Conventions{}, "datetime", "2024-01-05 10:00", "2024-01-05T10:00:00"}, {infer.Conventions{}, "datetime", "2024-01-05 10:00:30.5", "2024-01-05T10:00:30.5"}, {infer.Conventions{}, "datetime", "2024/01/05 9:05 PM", "2024-01-05T21:05:00"}, {infer.Conventions{}, "datetime", "2024-01-05 12:00 am", "2024-01-05T00:00:00"}, {infer.Conventions{}, "datetime", "2024-01-05 10:00 UTC", "2024-01-05T10:00:00Z"}, {infer.Conventions{}, "datetime", "2024-01-05 10:00:00+0100", "2024-01-05T10:00:00+01:00"},
		{infer.Conventions{}, "datetime", "2024-01-05T10:00:30Z", "2024-01-05T10:00:30Z"}, {infer.Conventions{}, "datetime", "2024-01-05T24:00:00", "2024-01-05T24:00:00"}, {infer.Conventions{}, "datetime", "2024-01-05 25:00", "2024-01-05 25:00"}, {infer.Conventions{}, "datetime", "2024-01-05 13:00 PM", "2024-01-05 13:00 PM"}, {infer.Conventions{}, "datetime", "5.1.2024 10:00", "5.1.2024 10:00"}, {infer.Conventions{}, "datetime", "10:00", "10:00"}, {infer.Conventions{}, "datetime", "Jan 5, 2024, 10:00", "2024-01-05T10:00:00"},
		{dmy, "datetime", "5.1.2024 10:00", "2024-01-05T10:00:00"}, {mdy, "datetime", "1/5/2024 10:00:30", "2024-01-05T10:00:30"},
		{infer.Conventions{}, "datetime", "2024-01-05", "2024-01-05T00:00:00"}, {dmy, "datetime", "5/1/2024", "2024-01-05T00:00:00"}, {infer.Conventions{}, "datetime", "5/1/2024", "5/1/2024"}, {infer.Conventions{}, "datetime_stamp", "2024-01-05", "2024-01-05"},
		{infer.Conventions{}, "date", "2024-01-05 00:00:00", "2024-01-05"}, {mdy, "date", "1/5/2024 12:00 AM", "2024-01-05"}, {infer.Conventions{}, "date", "2024-01-05 00:01", "2024-01-05 00:01"}, {infer.Conventions{}, "date", "2024-01-05T00:00:00Z", "2024-01-05T00:00:00Z"},
		{infer.Conventions{}, "time", "10:30", "10:30:00"}, {infer.Conventions{}, "time", " 9:05:07.5 ", "09:05:07.5"}, {infer.Conventions{}, "time", "9:05 PM", "21:05:00"}, {infer.Conventions{}, "time", "9:05Z", "09:05:00Z"}, {infer.Conventions{}, "time", "25:00", "25:00"}, {infer.Conventions{}, "time", "10:3", "10:3"}, {infer.Conventions{}, "string", "10:30", "10:30"},
		{point, "decimal", "−1.5", "-1.5"}, {point, "decimal", "(1)", none}, {infer.Conventions{}, "boolean", "S", "S"},
		{infer.Conventions{}, "date", "12.4.2023", "12.4.2023"}, {infer.Conventions{}, "integer", "1,234", "1,234"},
		{dmy, "date", "12.4.2023", "2023-04-12"}, {mdy, "date", "12.4.2023", "2023-04-12"}, {dmy, "date", "3/4/2023", "2023-04-03"}, {mdy, "date", "3/4/2023", "2023-03-04"}, {mdy, "date", "03-04-2023", "2023-03-04"},
		{dmy, "date", "2023/4/3", "2023-04-03"}, {mdy, "date", "2023-04-03", "2023-04-03"}, {mdy, "date", "28/2/2023", "28/2/2023"}, {dmy, "date", "30.2.2023", "30.2.2023"}, {dmy, "date", "1.2.23", "1.2.23"}, {dmy, "string", "12.4.2023", "12.4.2023"},
		{comma, "decimal", "1.234,56", "1234.56"}, {comma, "integer", "1.234.567", "1234567"}, {comma, "integer", "-12", "-12"}, {comma, "decimal", "1.5", none}, {comma, "decimal", "€ 1.234,50", "1234.50"}, {comma, "decimal", "1 234,5 €", "1234.5"}, {comma, "decimal", "1'234,5", "1234.5"}, {comma, "decimal", "1,2,3", none},
		{point, "decimal", "1,234.56", "1234.56"}, {point, "number", "1.5e3", "1.5e3"}, {point, "integer", "$-1,234", "-1234"}, {point, "integer", "-EUR 5", "-5"}, {point, "integer", "12,34", none}, {point, "integer", "1,23,456", none}, {point, "integer", "1,234'567", none}, {point, "integer", "0123", none}, {point, "integer", "", none}, {point, "integer", "$", none}, {point, "integer", "a lot", none}, {point, "integer", "--5", none}, {point, "string", "1,234", "1,234"},
	} {
		text, ok := c.by.Text(&schema.Property{Datatype: c.datatype}, c.cell)
		if !ok {
			text = none
		}
		if text != c.want {
			t.Errorf("%s %q by %+v is %q, want %q", c.datatype, c.cell, c.by, text, c.want)
		}
	}
}
