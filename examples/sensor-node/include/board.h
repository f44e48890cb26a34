/* Where the peripherals of the board are; the same regions as in .firmproof.yml. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

#include "uart.h"

#define UART0 ((volatile struct uart_regs *)(uintptr_t)0x40001000u)

#endif
