#include "board.h"
#include "firmproof.h"
#include "irq.h"
#include "node.h"

static struct uart_regs registers;

/* The handler with any behaviour of the hardware: each good byte is in the ring or counted as dropped. */
void uart_isr_harness(void)
{
    struct uart u;
    uint8_t held;

    uart_init(&u, &registers, NODE_CLOCK, NODE_BAUD);
    u.rx.head = firmproof_nondet_uchar();
    u.rx.tail = firmproof_nondet_uchar();
    firmproof_assume(ring_valid(&u.rx));
    held = ring_count(&u.rx);
    uart_isr(&u);
    firmproof_assert(ring_valid(&u.rx), "the ring stays valid");
    firmproof_assert(u.received + u.errors <= UART_RX_FIFO, "at most one FIFO a call");
    firmproof_assert(u.received == (uint32_t)(ring_count(&u.rx) - held) + u.dropped, "no byte is lost unseen");
    firmproof_assert(u.dropped == 0 || ring_count(&u.rx) == RING_SIZE, "bytes are dropped only when full");
}

/* The real vector on the real registers, and a reader in the main loop. */
void uart_irq_harness(void)
{
    uint8_t byte;

    node_init(&node, UART0);
    UART0_IRQHandler();
    firmproof_assert(ring_count(&node.uart.rx) == node.uart.received, "an empty ring takes a FIFO's worth");
    if (uart_get(&node.uart, &byte)) {
        firmproof_assert(node.uart.received > 0, "what is read was received");
    }
    UART0_IRQHandler();
    firmproof_assert(node.uart.dropped == 0, "two interrupts cannot fill the ring");
}

/* The divisor is in range, and the best there is for the rates that the node uses. */
void uart_divisor_harness(void)
{
    uint32_t clock = 1000000u * firmproof_nondet_uchar();
    uint32_t divisor = uart_divisor(clock, NODE_BAUD);

    firmproof_assert(divisor >= 1u && divisor <= UINT16_MAX, "fits the register");
    if (divisor > 1u) {
        firmproof_assert(clock <= divisor * NODE_BAUD + NODE_BAUD / 2u, "not too fast");
        firmproof_assert(clock >= divisor * NODE_BAUD - NODE_BAUD / 2u, "not too slow");
    }
    firmproof_assert(uart_divisor(clock, 0) == UINT16_MAX, "no rate, slowest clock");
}
