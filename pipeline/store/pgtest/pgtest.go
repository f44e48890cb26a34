// Package pgtest lends tests a PostgreSQL server of their own, from Debian's package.
package pgtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
	"testing"
)

// Start starts a server of its own for the test, as an unprivileged user
// (PostgreSQL refuses root), and gives its address.
func Start(t testing.TB) string {
	t.Helper()
	bin := "/usr/lib/postgresql/15/bin/"
	dir, err := os.MkdirTemp("/tmp", "firmproof-pg")
	if err != nil {
		t.Fatal(err)
	}
	attr := &syscall.SysProcAttr{}
	if os.Getuid() == 0 {
		u, err := user.Lookup("postgres")
		if err != nil {
			t.Fatal(err)
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		if err := os.Chown(dir, uid, gid); err != nil {
			t.Fatal(err)
		}
		attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(bin+name, args...)
		cmd.SysProcAttr, cmd.Dir = attr, dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
	run("initdb", "-D", dir+"/db", "-U", "firmproof", "-A", "trust", "--no-sync")
	port := freePort(t)
	run("pg_ctl", "-D", dir+"/db", "-w", "-l", dir+"/log", "-o", fmt.Sprintf("-p %d -k %s -c listen_addresses=127.0.0.1 -c fsync=off", port, dir), "start")
	t.Cleanup(func() {
		run("pg_ctl", "-D", dir+"/db", "-m", "immediate", "stop")
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return fmt.Sprintf("postgres://firmproof@127.0.0.1:%d/postgres?sslmode=disable", port)
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
