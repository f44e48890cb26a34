package main

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestZZ(t *testing.T) {
	for _, fn := range strings.Split(os.Getenv("ZZ"), ",") {
		name, ns, _ := strings.Cut(fn, ":")
		n, _ := strconv.Atoi(ns)
		for _, f := range cFamilies {
			if f.name != name {
				continue
			}
			m := loadFamily(t, f, n)
			begin := time.Now()
			res, sum := runFamily(m, 120*time.Second)
			var keys []string
			for k := range sum {
				keys = append(keys, k)
			}
			sort.Strings(keys)
			s := ""
			for _, k := range keys {
				s += fmt.Sprintf(" %s=%.5g", k, sum[k])
			}
			fmt.Printf("%s n=%d %.2fs %s %s rss=%dM\n", name, n, time.Since(begin).Seconds(), res.Status, s, res.PeakRSS>>20)
		}
	}
}
