package telemetry

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

const (
	tracesPath  = "/v1/traces"
	asProtobuf  = "application/x-protobuf"
	asJSON      = "application/json"
	longestSend = 10 * time.Second // without OTEL_EXPORTER_OTLP_TIMEOUT
	firstPause  = 5 * time.Second  // before the second attempt, if the collector asks for one
	maxAnswer   = 64 << 10         // bytes read of a collector's answer
)

// client sends spans to a collector over HTTP, configured by the environment
// (https://opentelemetry.io/docs/specs/otlp/#otlphttp). It implements otlptrace.Client, because the SDK's HTTP
// client depends on all of gRPC.
type client struct {
	url         string
	header      http.Header
	contentType string
	zips        bool
	http        *http.Client
	pause       time.Duration // before the second attempt
	stop        chan struct{}
	stopped     sync.Once
}

// setting returns a setting of the exporter: the one for traces or, if that is empty, the one for all signals.
func setting(name string) string {
	return cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_"+name), os.Getenv("OTEL_EXPORTER_OTLP_"+name))
}

func newClient() (*client, error) {
	u, err := url.Parse(cmp.Or(os.Getenv(traceEndpoint), os.Getenv(allEndpoint)))
	if err != nil {
		return nil, err
	}
	if os.Getenv(traceEndpoint) == "" {
		u.Path = path.Join("/", u.Path, tracesPath)
	}
	c := &client{
		url: u.String(), header: http.Header{}, contentType: asProtobuf,
		zips: setting("COMPRESSION") == "gzip", stop: make(chan struct{}), pause: firstPause,
		http: &http.Client{Timeout: longestSend, CheckRedirect: stay},
	}
	if setting("PROTOCOL") == "http/json" {
		c.contentType = asJSON
	}
	for _, pair := range strings.Split(setting("HEADERS"), ",") {
		name, value, found := strings.Cut(pair, "=")
		if value, err = url.PathUnescape(strings.TrimSpace(value)); found && err == nil {
			c.header.Set(strings.TrimSpace(name), value)
		}
	}
	if ms, err := strconv.Atoi(setting("TIMEOUT")); err == nil && ms > 0 {
		c.http.Timeout = time.Duration(ms) * time.Millisecond
	}
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // it is one, until somebody puts another one there
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if file := setting("CERTIFICATE"); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
		}
		transport.TLSClientConfig.RootCAs = x509.NewCertPool()
		if !transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: %s has no certificate", file)
		}
	}
	if file, key := setting("CLIENT_CERTIFICATE"), setting("CLIENT_KEY"); file != "" && key != "" {
		pair, err := tls.LoadX509KeyPair(file, key)
		if err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: %w", err)
		}
		transport.TLSClientConfig.Certificates = []tls.Certificate{pair}
	}
	c.http.Transport = transport
	return c, nil
}

// Start implements otlptrace.Client. Connections are made on demand.
func (c *client) Start(context.Context) error { return nil }

// Stop cancels requests in progress.
func (c *client) Stop(context.Context) error {
	c.stopped.Do(func() { close(c.stop) })
	return nil
}

// UploadTraces sends spans, and retries after a pause while the collector asks for that.
func (c *client) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-c.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	body, err := c.encode(&tracepb.TracesData{ResourceSpans: spans}) // has the form of an ExportTraceServiceRequest
	if err != nil {
		return err
	}
	for pause := c.pause; ; pause *= 2 {
		wait, err := c.send(ctx, body)
		if wait < 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(max(wait, pause)):
		}
	}
}

func (c *client) encode(data *tracepb.TracesData) (body []byte, err error) {
	if c.contentType == asJSON {
		body, err = spansAsJSON(data)
	} else {
		body, err = proto.Marshal(data)
	}
	if err != nil || !c.zips {
		return body, err
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err = z.Write(body)
	err = errors.Join(err, z.Close())
	return b.Bytes(), err
}

// spansAsJSON writes ids in hex and enumerations as numbers, as OTLP requires and Protocol Buffers' JSON
// mapping does not (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding).
func spansAsJSON(data *tracepb.TracesData) ([]byte, error) {
	text, err := protojson.MarshalOptions{UseEnumNumbers: true}.Marshal(data)
	if err != nil {
		return nil, err
	}
	var tree any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return nil, err
	}
	idsInHex(tree)
	return json.Marshal(tree)
}

func idsInHex(tree any) {
	switch tree := tree.(type) {
	case []any:
		for _, v := range tree {
			idsInHex(v)
		}
	case map[string]any:
		for name, v := range tree {
			text, isText := v.(string)
			if id, err := base64.StdEncoding.DecodeString(text); isText && err == nil && (name == "traceId" || name == "spanId" || name == "parentSpanId") {
				tree[name] = hex.EncodeToString(id)
				continue
			}
			idsInHex(v)
		}
	}
}

// stay follows no redirects, because the headers may contain a key for this collector only.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// send posts once. If wait is not negative, retry after at least that time.
func (c *client) send(ctx context.Context, body []byte) (wait time.Duration, err error) {
	const never = -1
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return never, err
	}
	request.Header = c.header.Clone()
	request.Header.Set("Content-Type", c.contentType)
	if c.zips {
		request.Header.Set("Content-Encoding", "gzip")
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return never, err
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return never, err
	}
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		wait = time.Duration(max(seconds, 0)) * time.Second
	default:
		wait = never
		if answer.StatusCode/100 == 2 {
			return never, refused(answer.Header.Get("Content-Type"), text)
		}
	}
	return wait, fmt.Errorf("%s says %s: %q", c.url, answer.Status, strings.TrimSpace(string(text)))
}

// refused returns what a collector did not accept of spans: partial_success of an ExportTraceServiceResponse. An
// unreadable answer returns nothing.
func refused(contentType string, answer []byte) error {
	var spans, message string
	switch contentType {
	case asJSON:
		var response struct {
			PartialSuccess struct {
				RejectedSpans json.Number `json:"rejectedSpans"`
				ErrorMessage  string      `json:"errorMessage"`
			} `json:"partialSuccess"`
		}
		if json.Unmarshal(answer, &response) == nil {
			spans, message = response.PartialSuccess.RejectedSpans.String(), response.PartialSuccess.ErrorMessage
		}
	case asProtobuf:
		eachField(answer, func(number protowire.Number, value []byte, _ uint64) {
			if number == 1 {
				eachField(value, func(number protowire.Number, text []byte, n uint64) {
					switch number { //nolint:exhaustive // the fields of the message
					case 1:
						spans = strconv.FormatUint(n, 10)
					case 2:
						message = string(text)
					}
				})
			}
		})
	}
	if spans != "" && spans != "0" || message != "" {
		return fmt.Errorf("the collector refuses %s spans: %s", cmp.Or(spans, "0"), message)
	}
	return nil
}

// eachField reads the fields of a Protocol Buffers message up to an invalid one: bytes or a number for each.
func eachField(message []byte, see func(protowire.Number, []byte, uint64)) {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return
		}
		value := message[n:]
		length := protowire.ConsumeFieldValue(number, kind, value)
		if length < 0 {
			return
		}
		switch kind { //nolint:exhaustive // an answer has no others
		case protowire.BytesType:
			text, _ := protowire.ConsumeBytes(value)
			see(number, text, 0)
		case protowire.VarintType:
			v, _ := protowire.ConsumeVarint(value)
			see(number, nil, v)
		}
		message = value[length:]
	}
}
