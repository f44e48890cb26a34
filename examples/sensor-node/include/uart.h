/* UART with a four byte receive FIFO: bytes arrive in the interrupt handler and wait in a ring. */
#ifndef UART_H
#define UART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring.h"

struct uart_regs {
    uint32_t data;   /* read: next received byte and its error flags; write: send */
    uint32_t status; /* UART_STATUS_... */
    uint32_t irq;    /* UART_IRQ_... that are let through */
    uint32_t baud;   /* clock divisor, 16.0 fixed point */
};

#define UART_DATA_ERROR 0x100u       /* framing or parity error in this byte */
#define UART_STATUS_RX_READY 0x1u    /* the receive FIFO holds a byte */
#define UART_STATUS_TX_EMPTY 0x2u    /* the send FIFO is empty */
#define UART_IRQ_RX 0x1u
#define UART_RX_FIFO 4u
#define UART_TX_FIFO 64u

struct uart {
    volatile struct uart_regs *regs;
    struct ring rx;
    uint32_t received; /* good bytes seen by the handler */
    uint32_t dropped;  /* of these, lost because the ring was full */
    uint32_t errors;   /* bytes that the hardware flagged */
};

void uart_init(struct uart *u, volatile struct uart_regs *regs, uint32_t clock, uint32_t baud);
void uart_isr(struct uart *u); /* body of the interrupt handler */
bool uart_get(struct uart *u, uint8_t *byte);
bool uart_send(struct uart *u, const uint8_t *data, size_t size); /* false: busy or too long */

/* Nearest divisor of clock to reach baud, between 1 and 65535; 65535 for a baud rate of 0. */
uint32_t uart_divisor(uint32_t clock, uint32_t baud);

#endif
