package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// client speaks MCP (JSON-RPC, one message a line) with its own `trails mcp` process.
type client struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	answer *bufio.Reader
	id     int
}

// rpcError is an error response.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    struct {
		Fields []struct{ Field, Code, Message string } `json:"fields"`
	} `json:"data"`
}

func (e *rpcError) Error() string { return fmt.Sprintf("%d %s", e.Code, e.Message) }

// start runs the server and initializes the session.
func start(binary, file string) (*client, error) {
	cmd := exec.Command(binary, "mcp", file)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &client{cmd: cmd, stdin: stdin, answer: bufio.NewReader(stdout)}
	_, err = c.call("initialize", map[string]any{
		"protocolVersion": "2025-11-25",
		"capabilities":    map[string]any{},
		"clientInfo":      map[string]any{"name": "tour", "version": "1"},
	})
	if err != nil {
		return nil, err
	}
	return c, c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

// close closes the server's input and waits for it to end.
func (c *client) close() error {
	if err := c.stdin.Close(); err != nil {
		return err
	}
	return c.cmd.Wait()
}

// call sends a request and returns its result; an error response is an *rpcError.
func (c *client) call(method string, params any) (json.RawMessage, error) {
	c.id++
	err := c.send(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	for {
		line, err := c.answer.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		var message struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  *rpcError       `json:"error"`
		}
		if err := json.Unmarshal(line, &message); err != nil {
			return nil, fmt.Errorf("%s answered %s: %w", method, line, err)
		}
		if message.ID != c.id {
			continue // a notification
		}
		if message.Error != nil {
			return nil, message.Error
		}
		return message.Result, nil
	}
}

func (c *client) send(message any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = c.stdin.Write(append(line, '\n'))
	return err
}

// tool calls a tool and returns its structured content.
func (c *client) tool(name string, arguments map[string]any) (json.RawMessage, error) {
	result, err := c.call("tools/call", map[string]any{"name": name, "arguments": arguments})
	if err != nil {
		return nil, err
	}
	var answer struct {
		StructuredContent json.RawMessage `json:"structuredContent"`
		IsError           bool            `json:"isError"`
	}
	if err := json.Unmarshal(result, &answer); err != nil {
		return nil, err
	}
	if answer.IsError {
		return nil, fmt.Errorf("%s: %s", name, answer.StructuredContent)
	}
	return answer.StructuredContent, nil
}

// read reads a resource and returns its text.
func (c *client) read(uri string) (string, error) {
	result, err := c.call("resources/read", map[string]any{"uri": uri})
	if err != nil {
		return "", err
	}
	var answer struct {
		Contents []struct {
			Text string `json:"text"`
		} `json:"contents"`
	}
	if err := json.Unmarshal(result, &answer); err != nil {
		return "", err
	}
	if len(answer.Contents) == 0 {
		return "", fmt.Errorf("%s has no contents", uri)
	}
	return answer.Contents[0].Text, nil
}
