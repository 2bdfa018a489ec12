package main

import (
	"github.com/spf13/cobra"

	"trails/fault"
	"trails/kg"
	"trails/remote"
)

// remoteHelp ends the help of commands that may reach other hosts.
const remoteHelp = `
SERVICE and LOAD reach the hosts of --allow-remote and no others: HOST or HOST:PORT by https,
on this machine by http, too; http://HOST[:PORT] otherwise. Without a port it is the scheme's own.
`

// remoteFlag lets a command reach other hosts.
func (p *program) remoteFlag(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&p.allowRemote, "allow-remote", nil, "`HOST[:PORT]` that SERVICE and LOAD may reach; may be repeated")
	noFiles(cmd, "allow-remote")
}

func noFiles(cmd *cobra.Command, flag string) { completeWords(cmd, flag) }

// graphOptions are how this program opens every graph.
func (p *program) graphOptions() (kg.Options, error) {
	client, err := remote.New(p.allowRemote, remote.Limits{})
	if err != nil {
		return kg.Options{}, usageError{"--allow-remote: " + fault.Of(err).Message}
	}
	longLog, err := p.walLimit()
	return kg.Options{Remote: client, Log: p.log, LongLog: longLog}, err
}
