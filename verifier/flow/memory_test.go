package flow

import "testing"

// A function without a body has what its arguments lead to in all that they lead to, and in what it gives.
func TestUnknownCode(t *testing.T) {
	const three = "int other(int *, int **); static int *at = &g, h; int main(void) { int x = in_x(), y = in_y(), z = in_z(); "
	allRest(t, map[string]string{
		three + "g = x; mark = other(&g, 0); return 0; }":                              "x",
		three + "h = x; at = &h; mark = other(0, &at); return 0; }":                    "x",
		three + "h = x; other(&h, &at); mark = *at; return 0; }":                       "x",
		three + "g = y; h = x; other(&h, &at); mark = g; return 0; }":                  "xy",
		three + "if (x) other(&g, 0); mark = g; return 0; }":                           "x",
		three + "int a[2]; a[0] = x; mark = other(a, 0) + y; return 0; }":              "xy",
		three + "int (*f)(int *, int **) = x ? other : 0; mark = f(0, 0); return 0; }": "x",
	})
}

// What is stored is found where addresses lead, those of initialisers, of indices and of members, and no further.
func TestAddresses(t *testing.T) {
	const three = `struct n { int a, b; struct n *next; int *p; }; static int arr[4];
static struct n two = { 1, 2 }, one = { 3, 4, &two, &arr[2] }, *const tab[2] = { &one, &two };
int main(void) { int x = in_x(), y = in_y(), z = in_z(); `
	allRest(t, map[string]string{
		three + "two.a = x; if (z) one.next = &one; mark = one.next->a; return 0; }":                             "xz",
		three + "one.a = x; one.b = y; mark = one.a; return 0; }":                                                "x",
		three + "two.a = x; mark = tab[1]->a + tab[1]->b; return 0; }":                                           "x",
		three + "arr[2] = x; if (z) one.p = &one.b; mark = *one.p; return 0; }":                                  "xz",
		three + "arr[1] = x; mark = *one.p; return 0; }":                                                         "",
		three + "arr[x & 3] = 1; mark = arr[2]; return 0; }":                                                     "x",
		three + "arr[2] = y; mark = arr[x & 3]; return 0; }":                                                     "xy",
		three + "arr[1] = x; mark = arr[2]; return 0; }":                                                         "",
		three + "*(&arr[0] + 2) = x; mark = arr[2]; return 0; }":                                                 "x",
		three + "((char *)arr)[9] = x; mark = arr[2]; return 0; }":                                               "x",
		three + "((char *)arr)[y] = x; mark = one.a; return 0; }":                                                "",
		three + "struct n o = two; o.a = x; one = o; mark = one.a; return 0; }":                                  "x",
		three + "unsigned long n = (unsigned long)&one; ((struct n *)(n + 0))->b = x; mark = one.b; return 0; }": "x",
	})
}

// What a value has that another had not is news to that one, whether or not the places that it leads to are, too.
func TestJoin(t *testing.T) {
	o, p := &object{}, &object{}
	empty := func() *value { return &value{tags: newSet(2)} }
	tagged, nonnull := empty(), empty()
	tagged.tags.add(1)
	nonnull.nonnull = newSet(2)
	nonnull.nonnull.add(1)
	for name, other := range map[string]*value{"an assumption": tagged, "that it is not null": nonnull,
		"null": {tags: newSet(2), null: true}, "a place": {tags: newSet(2), points: []location{{p, span{0, 1}}}}} {
		v := empty()
		v.points = []location{{o, span{0, 1}}}
		other.points = append(other.points, v.points...)
		if !v.join(other) {
			t.Errorf("%s is no news", name)
		}
		if v.join(other) {
			t.Errorf("%s is news twice", name)
		}
	}
}
