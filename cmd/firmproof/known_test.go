package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

const knownC = `#include <stddef.h>
#include <stdint.h>
typedef struct queue *queue_t;
typedef long ssize;
int32_t xQueueReceive(queue_t q, void *item, uint32_t ticks);
queue_t xQueueGenericCreate(uint32_t n, uint32_t size, uint8_t kind);
uint32_t HAL_GetTick(void);
ssize read(int fd, void *buf, size_t n);
void *pvPortMalloc(size_t n);
void vPortFree(void *p);
int HAL_GPIO_ReadPin(void *port, uint16_t pin);
void own_driver(uint8_t *p);
char *sys_now(char *x, int y);
int received(queue_t q) { uint32_t v; if (xQueueReceive(q, &v, 10) != 1) return 0; return v == 1; }
int created(void) { queue_t q = xQueueGenericCreate(1, 4, 0); return q != NULL; }
char first(void) { return *(char *)xQueueGenericCreate(1, 4, 0); }
int sched_get_priority_max(int policy);
int below(void) { return sched_get_priority_max(2) - 1; }
int above(void) { return sched_get_priority_max(2) + 1; }
int later(uint32_t from) { return HAL_GetTick() - from > 10; }
int filled(int fd) { uint8_t b[8]; ssize n = read(fd, b, 8); return n <= 0 ? 0 : b[n - 1]; }
int beyond(int fd) { uint8_t b[8]; ssize n = read(fd, b, 8); return n <= 0 ? 0 : b[n]; }
int too_long(int fd) { uint8_t b[8]; return read(fd, b, 9) > 0; }
void twice(void) { void *p = pvPortMalloc(4); vPortFree(p); vPortFree(p); }
int pin(void *port) { static const char on[2]; return on[HAL_GPIO_ReadPin(port, 1)]; }
int open_one(void) { uint8_t b = 0; own_driver(&b); return b; }
int other(void) { return *sys_now(0, 1); }
`

// TestKnownFunctions: functions of known libraries without a body have the effect that their library says, and the
// result names them; a function of the same name with another type, and any other one, stay without a body.
func TestKnownFunctions(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": knownC})
	_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", "cortex-m3")
	want := map[string]anyCall{
		"received": {verdict.Proved, "xQueueReceive"},
		"created":  {verdict.Proved, "xQueueGenericCreate"},
		"first":    {verdict.Violated, "null pointer"},
		"later":    {verdict.Proved, "HAL_GetTick"},
		"below":    {verdict.Proved, "a call does what the library says, with any result that it allows: sched"},
		"above":    {verdict.Violated, ""},
		"filled":   {verdict.Proved, "any result that it allows: read"},
		"beyond":   {verdict.Violated, "array index 8"},
		"too_long": {verdict.Violated, "'b' (8 bytes)"},
		"twice":    {verdict.Violated, "free"},
		"pin":      {verdict.Proved, "HAL_GPIO_ReadPin"},
		"open_one": {verdict.Conditional, "own_driver, which has no body"},
		"other":    {verdict.Unknown, "sys_now, which has no body"},
	}
	expectCalls(t, rep, errs, want, assumptionTexts)
}

// TestUnmodelledConversion: a conversion that the library's model does not follow leaves what comes after it unknown,
// whatever functions without a body are taken to do, at the call of the program; one that it follows does not.
func TestUnmodelledConversion(t *testing.T) {
	const src = "#include <stdio.h>\nchar to[5];\nint main(void) { return sprintf(to, \"%%%s\", 0.25); }\n"
	for conversion, want := range map[string]verdict.Status{".2f": verdict.Proved, ".2e": verdict.Unknown} {
		dir := writeTree(t, map[string]string{"src.c": fmt.Sprintf(src, conversion)})
		_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", "cortex-m3", "--stub", "*=havoc",
			"--checks", "memory")
		if len(rep.Results) != 1 || rep.Results[0].Status != want {
			t.Errorf("%s: %+v\n%s", conversion, rep.Results, errs)
			continue
		}
		for _, c := range rep.Results[0].Claims {
			if c.Status == verdict.Unknown && (c.Reason.Detail != "conversion %e into text with an exponent" ||
				filepath.Base(c.Reason.Pos.File) != "src.c" || !strings.Contains(c.Reason.Remedy, "--stub main=havoc")) {
				t.Errorf("%s: %s", conversion, c.Reason)
			}
		}
	}
}
