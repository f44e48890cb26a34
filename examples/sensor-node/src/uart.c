#include "uart.h"

#include "irq.h"

uint32_t uart_divisor(uint32_t clock, uint32_t baud)
{
    uint32_t divisor;

    if (baud == 0) {
        return UINT16_MAX;
    }
    divisor = clock / baud;
    if (clock % baud >= baud - baud / 2u) {
        divisor++;
    }
    if (divisor == 0) {
        return 1;
    }
    return divisor > UINT16_MAX ? UINT16_MAX : divisor;
}

void uart_init(struct uart *u, volatile struct uart_regs *regs, uint32_t clock, uint32_t baud)
{
    u->regs = regs;
    u->received = 0;
    u->dropped = 0;
    u->errors = 0;
    ring_init(&u->rx);
    regs->baud = uart_divisor(clock, baud);
    regs->irq = UART_IRQ_RX;
}

/* At most one FIFO's worth a call: a chattering line cannot starve the main loop. */
void uart_isr(struct uart *u)
{
    for (unsigned i = 0; i < UART_RX_FIFO; i++) {
        uint32_t data;

        if ((u->regs->status & UART_STATUS_RX_READY) == 0) {
            return;
        }
        data = u->regs->data;
        if ((data & UART_DATA_ERROR) != 0) {
            u->errors++;
            continue;
        }
        u->received++;
        if (!ring_push(&u->rx, (uint8_t)data)) {
            u->dropped++;
        }
    }
}

bool uart_get(struct uart *u, uint8_t *byte)
{
    bool got;

    irq_mask(&u->regs->irq, UART_IRQ_RX);
    got = ring_pop(&u->rx, byte);
    irq_unmask(&u->regs->irq, UART_IRQ_RX);
    return got;
}

bool uart_send(struct uart *u, const uint8_t *data, size_t size)
{
    if (size > UART_TX_FIFO || (u->regs->status & UART_STATUS_TX_EMPTY) == 0) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        u->regs->data = data[i];
    }
    return true;
}
