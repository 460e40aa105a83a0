#include "leads.h"

#include <stdlib.h>

/* The lead with each digit as 0. */
static Span masked(Span lead, unsigned char *room) {
    size_t length = span_length(lead);
    for (size_t index = 0; index < length; index++) room[index] = is_digit(lead.start[index]) ? '0' : lead.start[index];
    return (Span){room, room + length};
}

static uint32_t slot_of(const Leads *leads, Span key, uint32_t hash) {
    uint32_t slot = hash % (2 * MOST_LEADS);
    for (; leads->slots[slot]; slot = (slot + 1) % (2 * MOST_LEADS)) {
        const LeadShape *shape = &leads->shapes[leads->slots[slot] - 1];
        if (shape->hash == hash && span_length(shape->key) == span_length(key) &&
            memcmp(shape->key.start, key.start, span_length(key)) == 0)
            break;
    }
    return slot;
}

const LeadShape *leads_find(const Leads *leads, Span lead) {
    unsigned char room[LEAD_LIMIT];
    if (leads->count == 0) return NULL;
    Span key = masked(lead, room);
    uint32_t slot = slot_of(leads, key, hash_of(key, 0));
    return leads->slots[slot] ? &leads->shapes[leads->slots[slot] - 1] : NULL;
}

int leads_add(Leads *leads, Span lead, const LeadPart *parts, uint32_t count, uint32_t rest_start, uint32_t rest_end, int is_unknown) {
    unsigned char room[LEAD_LIMIT];
    size_t length = span_length(lead);
    if (length > LEAD_LIMIT || count > MOST_LEAD_PARTS || leads->count >= MOST_LEADS) return 0;
    if (rest_start > rest_end || rest_end > length) return 0;
    for (uint32_t index = 0; index < count; index++)
        if (parts[index].start > parts[index].end || parts[index].end > length) return 0;
    Span key = masked(lead, room);
    uint32_t hash = hash_of(key, 0), slot = slot_of(leads, key, hash);
    if (leads->slots[slot]) return 1;
    if ((leads->count & (leads->count - 1)) == 0) {
        LeadShape *shapes = realloc(leads->shapes, (leads->count ? 2 * leads->count : 1) * sizeof *shapes);
        if (shapes == NULL) return 0;
        leads->shapes = shapes;
    }
    /* One piece of memory for the parts and, behind them, the key. */
    LeadPart *kept = malloc(count * sizeof *kept + length + 1);
    if (kept == NULL) return 0;
    if (count) memcpy(kept, parts, count * sizeof *kept);
    unsigned char *text = (unsigned char *)(kept + count);
    memcpy(text, key.start, length);
    leads->shapes[leads->count] = (LeadShape){{text, text + length}, hash, count, kept, rest_start, rest_end, is_unknown};
    leads->slots[slot] = ++leads->count;
    return 1;
}

void leads_free(Leads *leads) {
    for (uint32_t index = 0; index < leads->count; index++) free(leads->shapes[index].parts);
    free(leads->shapes);
}
