/* Reads a text on standard input and prints the pools it stands for, or `no`: the parser of the preloaded library. */
#include "pool.h"

#include <inttypes.h>
#include <stdio.h>

int main(void) {
    char text[4096];
    uint64_t pools[MAX_DEVICES];
    while (fgets(text, sizeof text, stdin)) {
        char *at = text;
        while (*at && *at != '\n')
            at++;
        *at = 0;
        if (parse_pools(text, pools))
            printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", pools[0], pools[1], pools[MAX_DEVICES - 1]);
        else
            puts("no");
    }
    return 0;
}
