/* The variable's text as bytes, by the rules of vramtuner.core.units.parse_bytes. */
#include "pool.h"

#include <string.h>

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* 0: no such unit. */
static uint64_t factor_of(const char *unit, size_t length) {
    static const char letters[] = "kmgt";
    char lower[4] = {0};
    if (length > 3)
        return 0;
    for (size_t i = 0; i < length; i++)
        lower[i] = (char)(unit[i] | 0x20);
    if (length == 0 || strcmp(lower, "b") == 0)
        return 1;
    const char *letter = strchr(letters, lower[0]);
    if (letter == NULL || lower[0] == 0)
        return 0;
    int power = (int)(letter - letters) + 1;
    bool binary = length == 1 || strcmp(lower + 1, "ib") == 0;
    if (!binary && strcmp(lower + 1, "b") != 0)
        return 0;
    uint64_t factor = 1;
    for (int i = 0; i < power; i++)
        factor *= binary ? 1024 : 1000;
    return factor;
}

bool parse_size(const char *begin, const char *end, uint64_t *bytes) {
    unsigned __int128 whole = 0;
    uint64_t fraction = 0, scale = 1;
    const char *at = begin, *digits;
    while (at < end && is_space(*at))
        at++;
    for (digits = at; at < end && is_digit(*at); at++) {
        if (at - digits >= 19)
            return false;
        whole = whole * 10 + (unsigned)(*at - '0');
    }
    if (at == digits)
        return false;
    if (at < end && *at == '.') {
        for (digits = ++at; at < end && is_digit(*at); at++, scale *= 10) {
            if (at - digits >= 9)
                return false;
            fraction = fraction * 10 + (unsigned)(*at - '0');
        }
    }
    while (at < end && is_space(*at))
        at++;
    const char *unit = at;
    while (at < end && ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z')))
        at++;
    uint64_t factor = factor_of(unit, (size_t)(at - unit));
    while (at < end && is_space(*at))
        at++;
    if (at != end || factor == 0)
        return false;
    unsigned __int128 size = whole * factor + (unsigned __int128)fraction * factor / scale;
    if (size == 0 || size > (unsigned __int128)1 << 60)
        return false;
    *bytes = (uint64_t)size;
    return true;
}

bool parse_pools(const char *text, uint64_t pools[MAX_DEVICES]) {
    int count = 0;
    for (const char *begin = text;;) {
        const char *comma = strchr(begin, ',');
        const char *end = comma ? comma : begin + strlen(begin);
        if (count == MAX_DEVICES || !parse_size(begin, end, &pools[count]))
            return false;
        count++;
        if (comma == NULL)
            break;
        begin = comma + 1;
    }
    for (int i = count; i < MAX_DEVICES; i++)
        pools[i] = pools[count - 1];
    return true;
}
