/* What stands before records, by its shape: of two leads that differ in digits only, the same places hold values. */
#ifndef BENCHLEDGER_LEADS_H
#define BENCHLEDGER_LEADS_H

#include "bytes.h"

enum { MOST_LEADS = 4096, LEAD_LIMIT = 256, MOST_LEAD_PARTS = 64 };

/* A value of a lead: the code of its hole, where it goes, and where it stands. */
typedef struct {
    uint32_t code, target, start, end;
} LeadPart;

typedef struct {
    Span key;
    uint32_t hash, count;
    /* Those next to the record first. */
    LeadPart *parts;
    /* What belongs to none. */
    uint32_t rest_start, rest_end;
    /* Only Python's reader of leads knows what it says. */
    int is_unknown;
} LeadShape;

typedef struct {
    LeadShape *shapes;
    uint32_t count, slots[2 * MOST_LEADS];
} Leads;

/* The shape of a lead of at most LEAD_LIMIT bytes, or NULL. */
const LeadShape *leads_find(const Leads *leads, Span lead);
/* Adds the shape of a lead; no parts and no rest: an unknown one. 0: no memory, too many, or the lead has no such places. */
int leads_add(Leads *leads, Span lead, const LeadPart *parts, uint32_t count, uint32_t rest_start, uint32_t rest_end, int is_unknown);
void leads_free(Leads *leads);

#endif
