#include "node.h"

#include "bytes.h"
#include "ramp.h"
#include "report.h"
#include "tlv.h"

struct node node;

void UART0_IRQHandler(void)
{
    uart_isr(&node.uart);
}

void node_init(struct node *n, volatile struct uart_regs *regs)
{
    frame_decoder_init(&n->decoder);
    history_init(&n->history);
    mode_init(&n->mode);
    pi_init(&n->pi, 2 * PI_GAIN_ONE, PI_GAIN_ONE / 4);
    n->wanted = 20 * PI_TEMP_ONE;
    n->target = n->wanted;
    n->report = 0;
    n->bad_frames = 0;
    uart_init(&n->uart, regs, NODE_CLOCK, NODE_BAUD); /* last: lets interrupts through */
}

static bool run_item(struct node *n, const struct tlv *item)
{
    int16_t target;

    switch (item->type) {
    case NODE_CMD_TARGET:
        if (item->length != 2) {
            return false;
        }
        target = get_i16(item->value);
        if (target < 0 || target > NODE_LIMIT) {
            return false;
        }
        n->wanted = target;
        return true;
    case NODE_CMD_ON:
        mode_handle(&n->mode, MODE_EVENT_ON);
        return true;
    case NODE_CMD_OFF:
        mode_handle(&n->mode, MODE_EVENT_OFF);
        return true;
    case NODE_CMD_REPORT:
        if (item->length != 1) {
            return false;
        }
        n->report = item->value[0];
        return true;
    case NODE_CMD_RESET:
        mode_handle(&n->mode, MODE_EVENT_RESET);
        return true;
    default:
        return true; /* newer hosts may send more */
    }
}

bool node_command(struct node *n, const uint8_t *payload, size_t size)
{
    struct tlv_reader reader;
    struct tlv item;
    enum tlv_result result;

    tlv_open(&reader, payload, size);
    while ((result = tlv_next(&reader, &item)) == TLV_ITEM) {
        if (!run_item(n, &item)) {
            return false;
        }
    }
    return result == TLV_END;
}

static void send_report(struct node *n)
{
    uint8_t payload[REPORT_MAX];
    uint8_t line[FRAME_MAX];
    size_t size = report_build(payload, n->mode.mode, &n->history, n->report);

    size = frame_encode(line, payload, size);
    if (uart_send(&n->uart, line, size)) {
        n->report = 0; /* else the line is busy: again at the next poll */
    }
}

void node_poll(struct node *n)
{
    uint8_t byte;

    for (unsigned i = 0; i < RING_SIZE && uart_get(&n->uart, &byte); i++) {
        enum frame_event event = frame_decode(&n->decoder, byte);

        if (event == FRAME_BAD) {
            n->bad_frames++;
        } else if (event == FRAME_READY && !node_command(n, n->decoder.payload, n->decoder.length)) {
            n->bad_frames++;
        }
    }
    if (n->report != 0) {
        send_report(n);
    }
}

static enum mode_event judge(const struct node *n, bool sensor_ok, int16_t measured)
{
    int32_t distance = (int32_t)n->wanted - measured;

    if (!sensor_ok) {
        return MODE_EVENT_SENSOR_LOST;
    }
    if (measured > NODE_LIMIT) {
        return MODE_EVENT_OVERHEAT;
    }
    if (distance < NODE_NEAR && distance > -NODE_NEAR) {
        return MODE_EVENT_AT_TARGET;
    }
    return MODE_EVENT_TICK;
}

int32_t node_tick(struct node *n, bool sensor_ok, int16_t measured, int32_t raw)
{
    history_add(&n->history, raw);
    mode_handle(&n->mode, judge(n, sensor_ok, measured));
    if (!mode_heats(&n->mode)) {
        pi_reset(&n->pi);
        n->target = measured; /* the next ramp starts from where we are */
        return 0;
    }
    n->target = ramp_next(n->target, n->wanted, NODE_RAMP_STEP);
    return pi_step(&n->pi, n->target, measured);
}
