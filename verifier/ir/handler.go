package ir

import "regexp"

// vectorName matches the names that the vector tables of Cortex-M (CMSIS) and of AVR (avr-libc) have for handlers, and
// those that others call their own.
var vectorName = regexp.MustCompile(`^(?:\w+_IRQHandler|` +
	`(?:NMI|HardFault|MemManage|BusFault|UsageFault|SVC|PendSV|SysTick)_Handler|__vector_\d+|\w+_(?:isr|ISR)|(?:isr|ISR)(?:_\w+)?)$`)

// callbackName matches the names of functions that a vendor's handlers call, and that users define: STM32's HAL.
var callbackName = regexp.MustCompile(`^HAL_\w+Callback$`)

// NamesCallback reports a name of a function that handlers of a vendor's library call.
func NamesCallback(name string) bool { return callbackName.MatchString(name) }

// tableName matches the sections that vector tables stand in.
var tableName = regexp.MustCompile(`(?i)isr_?vec|vector|intvec|\bvects\b`)

// VectorSection reports the name of a section that a vector table stands in.
func VectorSection(name string) bool { return tableName.MatchString(name) }

// ListHandlers makes handlers of the functions in the program's vector tables: variables in a section for these. What
// starts the program stands there, too, and is none: it comes to main, or is named so.
func ListHandlers(m *Module) {
	for _, g := range m.Globals {
		if g.Init == nil || !VectorSection(g.Section) {
			continue
		}
		for _, f := range functionsIn(g.Init, nil) {
			f.Handler = f.Handler || !f.IsDecl() && len(f.Params) == 0 && !startsName.MatchString(f.CName) && !comesToMain(f)
		}
	}
}

// startsName matches names of what starts a program.
var startsName = regexp.MustCompile(`(?i)reset|start|entry`)

func functionsIn(c *Const, list []*Func) []*Func {
	if c == nil {
		return list
	}
	if c.Func != nil {
		list = append(list, c.Func)
	}
	for _, e := range c.Elems {
		list = functionsIn(e, list)
	}
	return list
}

// comesToMain reports whether a function calls main, itself or by what it calls.
func comesToMain(f *Func) bool {
	seen := map[*Func]bool{f: true}
	for todo := []*Func{f}; len(todo) > 0; {
		at := todo[0]
		todo = todo[1:]
		for _, b := range at.Blocks {
			for _, in := range b.Instrs {
				to := CalledFunc(in)
				if to == nil || seen[to] {
					continue
				}
				if to.Name == "main" {
					return true
				}
				seen[to] = true
				todo = append(todo, to)
			}
		}
	}
	return false
}

// NamesHandler reports a name that vector tables have for a handler of interrupts.
func NamesHandler(name string) bool { return vectorName.MatchString(name) }

// HandlerAttributes are the attributes that clang marks handlers of interrupts with: for Arm, RISC-V and MSP430, and for
// AVR.
var HandlerAttributes = []string{"interrupt", "signal"}
