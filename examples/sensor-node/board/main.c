#include "board.h"
#include "node.h"

/* The sensor front end: a converter with a sequence number, at its place in the memory map. */
#define ADC_RAW (*(volatile int32_t *)(uintptr_t)0x40002000u)
#define ADC_STATUS (*(volatile uint32_t *)(uintptr_t)0x40002004u)
#define ADC_OK 0x1u
#define ADC_NEW 0x2u
#define HEATER_DUTY (*(volatile int32_t *)(uintptr_t)0x40003000u)

int main(void)
{
    node_init(&node, UART0);
    for (;;) {
        uint32_t status = ADC_STATUS;

        node_poll(&node);
        if ((status & ADC_NEW) != 0) {
            int32_t raw = ADC_RAW;

            /* 24 bits for -128 to 128 degrees: the upper 16 are 1/256 degrees. */
            HEATER_DUTY = node_tick(&node, (status & ADC_OK) != 0, (int16_t)(raw / 256), raw);
        }
    }
}
