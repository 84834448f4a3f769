/* Plays the first legal cell: cc -O2 -o first first.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\"variant\":")) puts("{\"variants\":\"*\"}");
        const char *legal = strstr(line, "\"legal\":[");
        if (legal) printf("{\"cell\":%d}\n", atoi(legal + 9)), fflush(stdout);
    }
}
