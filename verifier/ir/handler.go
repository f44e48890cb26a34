package ir

import "regexp"

// vectorName matches the names that the vector tables of Cortex-M (CMSIS) and of AVR (avr-libc) have for handlers.
var vectorName = regexp.MustCompile(
	`^(?:\w+_IRQHandler|(?:NMI|HardFault|MemManage|BusFault|UsageFault|SVC|PendSV|SysTick)_Handler|__vector_\d+)$`)

// NamesHandler reports a name that vector tables have for a handler of interrupts.
func NamesHandler(name string) bool { return vectorName.MatchString(name) }

// HandlerAttributes are the attributes that clang marks handlers of interrupts with: for Arm, RISC-V and MSP430, and for
// AVR.
var HandlerAttributes = []string{"interrupt", "signal"}
