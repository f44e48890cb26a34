#include "irq.h"

void irq_mask(volatile uint32_t *enable, uint32_t sources)
{
    *enable = *enable & ~sources;
}

void irq_unmask(volatile uint32_t *enable, uint32_t sources)
{
    *enable = *enable | sources;
}
