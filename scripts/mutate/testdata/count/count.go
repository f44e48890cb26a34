// Package count is what the tests of mutate put mistakes into.
package count

// Long counts numbers above 2 other than 7, with their distance from n.
func Long(list []int, n int) (count, sum int) {
	for _, x := range list {
		if x <= 2 || x == 7 {
			continue
		}
		count++
		sum += x - n
	}
	return count, max(sum, 0)
}

// Unused is reached by no test.
func Unused(ok bool) bool { return !ok }
