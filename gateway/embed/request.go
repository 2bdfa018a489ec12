package embed

import (
	"context"
	"encoding/json"
	"math"

	"trails/fault"
	"trails/gateway"
	"trails/kg/remote"
	"trails/text/jsontext"
)

// maxLength bounds the numbers of a vector.
const maxLength = 8_192

// request requests unit vectors of texts from an endpoint. All must have the same length. An invalid answer is
// fault.Unusable, a refusal of the texts fault.InvalidData.
func request(ctx context.Context, way *remote.Client, of gateway.Embeddings, secret string, texts []string) ([][]float32, error) {
	body, err := jsontext.Marshal(struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}{of.Model, texts})
	if err != nil {
		return nil, fault.New(fault.Unusable, "the texts are no JSON")
	}
	text, err := way.Post(ctx, of.URL, secret, body)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, fault.New(fault.Unusable, "the endpoint answered with no JSON of vectors")
	}
	if len(answer.Data) != len(texts) {
		return nil, fault.New(fault.Unusable, "the endpoint answered with %s for %s", fault.Counted(len(answer.Data), "vector"), fault.Counted(len(texts), "text"))
	}
	vectors := make([][]float32, len(texts))
	for _, d := range answer.Data {
		switch {
		case d.Index < 0 || d.Index >= len(texts) || vectors[d.Index] != nil:
			return nil, fault.New(fault.Unusable, "the endpoint answered with wrong or repeated places of vectors")
		case len(d.Embedding) == 0 || len(d.Embedding) > maxLength:
			return nil, fault.New(fault.Unusable, "the endpoint answered with a vector of %d numbers; 1 to %d are allowed", len(d.Embedding), maxLength)
		case len(d.Embedding) != len(answer.Data[0].Embedding):
			return nil, fault.New(fault.Unusable, "the endpoint answered with vectors of %d and of %d numbers", len(answer.Data[0].Embedding), len(d.Embedding))
		}
		var squares float64
		for _, n := range d.Embedding {
			squares += float64(n) * float64(n)
		}
		if squares == 0 {
			return nil, fault.New(fault.InvalidData, "the endpoint answered with a vector without a direction")
		}
		for i, n := range d.Embedding {
			d.Embedding[i] = float32(float64(n) / math.Sqrt(squares))
		}
		vectors[d.Index] = d.Embedding
	}
	return vectors, nil
}

// dot is the dot product of two vectors of the same length, which is the cosine for unit vectors.
func dot(a, b []float32) float64 {
	b = b[:len(a)]
	var sums [4]float32 // for which the processor has vector instructions
	for len(a) >= 4 {
		sums[0] += a[0] * b[0]
		sums[1] += a[1] * b[1]
		sums[2] += a[2] * b[2]
		sums[3] += a[3] * b[3]
		a, b = a[4:], b[4:]
	}
	for i := range a {
		sums[0] += a[i] * b[i]
	}
	return float64(sums[0]) + float64(sums[1]) + float64(sums[2]) + float64(sums[3])
}
