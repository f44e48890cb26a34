/* Vector table and C start-up for the Cortex-M3. */
#include <stdint.h>

#include "node.h"

extern uint32_t image_stack_top[], image_data_load[], image_data_start[], image_data_end[];
extern uint32_t image_bss_start[], image_bss_end[];

int main(void);
void reset_handler(void);
static void hang(void);

__attribute__((section(".vectors"), used)) static void (*const vectors[])(void) = {
    (void (*)(void))(uintptr_t)image_stack_top,
    reset_handler,
    hang, hang, hang, hang, hang, /* NMI, hard fault, memory, bus, usage */
    0, 0, 0, 0,
    hang, hang, 0, hang, hang,    /* SVC, debug, -, PendSV, SysTick */
    UART0_IRQHandler,
};

static void hang(void)
{
    for (;;) {
    }
}

void reset_handler(void)
{
    const uint32_t *from = image_data_load;

    for (uint32_t *to = image_data_start; to < image_data_end; to++) {
        *to = *from++;
    }
    for (uint32_t *to = image_bss_start; to < image_bss_end; to++) {
        *to = 0;
    }
    main();
    hang();
}
