package xsd

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"
)

var powers = func() (p [19]int64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

func (n Number) isExact() bool { return n.kind <= DecimalNumber }

func (n Number) sign() int {
	if n.big != nil {
		return n.big.Sign()
	}
	return cmp.Compare(n.small, 0)
}

// unscaled returns n's digits as a big integer, which the caller must not change.
func (n Number) unscaled() *big.Int {
	if n.big != nil {
		return n.big
	}
	return big.NewInt(n.small)
}

func powerOfTen(n int32) *big.Int {
	if int(n) < len(powers) {
		return big.NewInt(powers[n])
	}
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// aligned returns the digits of both at the larger scale.
func aligned(n, m Number) (a, b *big.Int, scale int32) {
	a, b = n.unscaled(), m.unscaled()
	switch {
	case n.scale < m.scale:
		return new(big.Int).Mul(a, powerOfTen(m.scale-n.scale)), b, m.scale
	case m.scale < n.scale:
		return a, new(big.Int).Mul(b, powerOfTen(n.scale-m.scale)), n.scale
	}
	return a, b, n.scale
}

// alignedSmall is aligned where everything fits without a big integer.
func alignedSmall(n, m Number) (a, b int64, scale int32, ok bool) {
	if n.big != nil || m.big != nil {
		return 0, 0, 0, false
	}
	scale = max(n.scale, m.scale)
	a, oka := shifted(n.small, scale-n.scale)
	b, okb := shifted(m.small, scale-m.scale)
	return a, b, scale, oka && okb
}

func shifted(digits int64, by int32) (int64, bool) {
	if int(by) >= len(powers) || size(digits) > uint64(math.MaxInt64/powers[by]) {
		return 0, false
	}
	return digits * powers[by], true
}

func (n Number) compareExact(m Number) int {
	if a, b, _, ok := alignedSmall(n, m); ok {
		return cmp.Compare(a, b)
	}
	a, b, _ := aligned(n, m)
	return a.Cmp(b)
}

// exactOf makes a number from digits and a scale: small if it fits, without trailing zeros.
func exactOf(kind NumberKind, digits *big.Int, scale int32) (Number, error) {
	if digits.BitLen() > MaxDigits*10/3 || scale > 2*MaxDigits {
		return Number{}, ErrOverflow
	}
	if digits.IsInt64() && digits.Int64() != math.MinInt64 {
		return smallOf(kind, digits.Int64(), scale), nil
	}
	ten, quotient, rest := big.NewInt(10), new(big.Int), new(big.Int)
	for scale > 0 {
		if quotient.QuoRem(digits, ten, rest); rest.Sign() != 0 {
			break
		}
		digits, quotient, scale = quotient, new(big.Int), scale-1
	}
	if digits.IsInt64() && digits.Int64() != math.MinInt64 {
		return smallOf(kind, digits.Int64(), scale), nil
	}
	return Number{kind: kind, big: digits, scale: scale}, nil
}

func smallOf(kind NumberKind, digits int64, scale int32) Number {
	for scale > 0 && digits%10 == 0 {
		digits, scale = digits/10, scale-1
	}
	return Number{kind: kind, small: digits, scale: scale}
}

// exactText writes a decimal in its canonical form.
func (n Number) exactText() string {
	if n.big == nil && n.scale == 0 {
		return strconv.FormatInt(n.small, 10)
	}
	text := n.unscaled().String()
	if n.scale == 0 {
		return text
	}
	text, negative := cutSign(text)
	if missing := int(n.scale) - len(text) + 1; missing > 0 {
		text = strings.Repeat("0", missing) + text
	}
	point := len(text) - int(n.scale)
	whole, fraction := text[:point], strings.TrimRight(text[point:], "0")
	if fraction != "" {
		whole += "." + fraction
	}
	if negative && whole != "0" {
		return "-" + whole
	}
	return whole
}

func addExact(kind NumberKind, n, m Number) (Number, error) {
	if a, b, scale, ok := alignedSmall(n, m); ok {
		if sum := a + b; (sum > a) == (b > 0) && sum != math.MinInt64 {
			return smallOf(kind, sum, scale), nil
		}
	}
	a, b, scale := aligned(n, m)
	return exactOf(kind, new(big.Int).Add(a, b), scale)
}

func size(i int64) uint64 {
	if i < 0 {
		return -uint64(i)
	}
	return uint64(i)
}

// quotientDigits is the least number of digits of a quotient behind the point, unless it ends before.
const quotientDigits = 18

// divExact divides decimals, rounding half to even at the last digit.
func divExact(n, m Number) (Number, error) {
	if m.sign() == 0 {
		return Number{}, ErrDivision
	}
	if quotient, ok := divSmall(n, m); ok {
		return quotient, nil
	}
	scale := quotientDigits + max(0, n.scale-m.scale)
	// n/m = (a/10^s)/(b/10^t): the digits at scale are a*10^(scale-s+t)/b.
	a, b := n.unscaled(), m.unscaled()
	shift := scale - n.scale + m.scale
	return exactOf(DecimalNumber, quoHalfEven(new(big.Int).Mul(a, powerOfTen(shift)), b), scale)
}

// divSmall divides digit by digit as long as everything fits; ok is false when it
// does not, and when the quotient has no end.
func divSmall(n, m Number) (quotient Number, ok bool) {
	if n.big != nil || m.big != nil || n.scale < m.scale || size(m.small) > math.MaxInt64/10 {
		return Number{}, false
	}
	digits, rest, scale := n.small/m.small, n.small%m.small, n.scale-m.scale
	for end := scale + quotientDigits; rest != 0; scale++ {
		if scale == end || size(digits) > math.MaxInt64/10-1 {
			return Number{}, false
		}
		digits, rest = digits*10+rest*10/m.small, rest*10%m.small
	}
	return smallOf(DecimalNumber, digits, scale), true
}

func quoHalfEven(a, b *big.Int) *big.Int {
	quotient, rest := new(big.Int).QuoRem(a, b, new(big.Int))
	twice := new(big.Int).Abs(rest)
	twice.Lsh(twice, 1)
	order := twice.CmpAbs(b)
	if order > 0 || order == 0 && quotient.Bit(0) == 1 {
		quotient.Add(quotient, big.NewInt(int64(a.Sign()*b.Sign())))
	}
	return quotient
}
