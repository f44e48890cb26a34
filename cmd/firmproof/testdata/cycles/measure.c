// measure IMAGE ENTRY RETURNS: runs an image in simavr until main has returned, and prints how many calls of the function at
// address ENTRY were met, and the cycles of the longest one, from its first instruction to the end of its return.
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    elf_firmware_t image;
    memset(&image, 0, sizeof image);
    if (argc != 4 || elf_read_firmware(argv[1], &image) != 0)
        return 2;
    avr_t *avr = avr_make_mcu_by_name("atmega328p");
    if (!avr || avr_init(avr) != 0)
        return 2;
    image.frequency = 16000000;
    avr_load_firmware(avr, &image);
    unsigned entry = strtoul(argv[2], 0, 0), end = strtoul(argv[3], 0, 0);
    unsigned long calls = 0, most = 0;
    unsigned long long begun = 0;
    int depth = -1; // of the stack in a call that runs
    for (unsigned long long n = 0; n < 400000000ull; n++) {
        if (avr->pc == end) {
            printf("%lu %lu\n", calls, most);
            return 0;
        }
        int sp = avr->data[0x5d] | avr->data[0x5e] << 8;
        if (depth < 0 && avr->pc == entry)
            depth = sp, begun = avr->cycle;
        int state = avr_run(avr);
        if (state == cpu_Done || state == cpu_Crashed)
            return 3;
        sp = avr->data[0x5d] | avr->data[0x5e] << 8;
        if (depth >= 0 && sp > depth) {
            unsigned long took = avr->cycle - begun;
            most = took > most ? took : most;
            calls++, depth = -1;
        }
    }
    return 4;
}
