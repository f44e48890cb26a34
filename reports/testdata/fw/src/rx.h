#ifndef RX_H
#define RX_H

enum kind { PING, DATA, RESET };

struct message {
    enum kind kind;
    unsigned char length;
    unsigned char body[8];
};

struct receiver {
    struct message last;
    unsigned dropped;
    char port[6];
    unsigned char at;
    unsigned char buffer[10];
};

void receiver_start(struct receiver *rx, char channel);
int receiver_take(struct receiver *rx, unsigned char byte);
int receiver_average(const struct receiver *rx, int samples);

#endif
