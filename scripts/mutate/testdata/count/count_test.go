package count

import "testing"

func TestLong(t *testing.T) {
	if n, sum := Long([]int{1, 3, 7, 9}, 2); n != 2 || sum != 8 {
		t.Error(n, sum)
	}
}
