// Package pgtest lends tests and measurements a PostgreSQL server of their own, from Debian's package.
package pgtest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// Start starts a server for the test, and gives its address.
func Start(t testing.TB) string {
	t.Helper()
	dsn, stop, err := Run("-c fsync=off")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return dsn
}

// Run starts a server with further options, as an unprivileged user (PostgreSQL
// refuses root), and gives its address and what ends it.
func Run(options string) (string, func() error, error) {
	installed, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // the pattern is right
	if len(installed) == 0 {
		return "", nil, errors.New("no PostgreSQL is installed: `make setup-tests`")
	}
	bin := filepath.Dir(installed[0])
	dir, err := os.MkdirTemp("/tmp", "firmproof-pg")
	if err != nil {
		return "", nil, err
	}
	attr := &syscall.SysProcAttr{}
	if os.Getuid() == 0 {
		u, err := user.Lookup("postgres")
		if err != nil {
			return "", nil, err
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		if err := os.Chown(dir, uid, gid); err != nil {
			return "", nil, err
		}
		attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	run := func(name string, args ...string) error {
		cmd := exec.Command(filepath.Join(bin, name), args...)
		cmd.SysProcAttr, cmd.Dir = attr, dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", name, err, out)
		}
		return nil
	}
	port, err := freePort()
	if err == nil {
		err = run("initdb", "-D", dir+"/db", "-U", "firmproof", "-A", "trust", "--no-sync")
	}
	if err == nil {
		err = run("pg_ctl", "-D", dir+"/db", "-w", "-l", dir+"/log", "-o",
			fmt.Sprintf("-p %d -k %s -c listen_addresses=127.0.0.1 %s", port, dir, options), "start")
	}
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	stop := func() error {
		return errors.Join(run("pg_ctl", "-D", dir+"/db", "-m", "immediate", "stop"), os.RemoveAll(dir))
	}
	return fmt.Sprintf("postgres://firmproof@127.0.0.1:%d/postgres?sslmode=disable", port), stop, nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
