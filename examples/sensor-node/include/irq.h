/* Switches interrupt sources at their peripheral. The calls are out of line on purpose: the compiler
 * cannot move accesses to memory that others see across them. */
#ifndef IRQ_H
#define IRQ_H

#include <stdint.h>

void irq_mask(volatile uint32_t *enable, uint32_t sources);
void irq_unmask(volatile uint32_t *enable, uint32_t sources);

#endif
