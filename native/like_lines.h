/* Lines that differ from one that was read in numbers and times only: which record they hold is not asked again. */
#ifndef BENCHLEDGER_LIKE_LINES_H
#define BENCHLEDGER_LIKE_LINES_H

#include "template.h"

enum { MOST_LIKE_HOLES = 16, MOST_LIKE_BESIDE = 512 };

/* What stands before each hole of a template and behind the last, one after another, and where each of these ends. */
typedef struct {
    int is_known;
    uint32_t count, ends[MOST_LIKE_HOLES + 1], steps[MOST_LIKE_HOLES];
    unsigned char *beside;
    /* Where the head ends: behind so many holes, and so many bytes of what follows. */
    uint32_t head_holes, head_bytes;
    /* How many bytes of the list, those before its first number, stand behind the template. */
    uint32_t list;
    /* How many lines of its template were read that were not like it. */
    uint32_t unlike;
} LikeLine;

/* Learns from a line that a template took whose first `head` steps are its head, and of whose list so many bytes stand before
   its first number. 0: no memory. */
int like_keep(LikeLine *like, const Template *template, uint32_t head, const Trail *trail, Place begin, uint32_t list);
/* Whether another template, which did not take the line that was learned just now, takes none that is like it. */
int like_excludes(const LikeLine *like, const Template *template, const Template *other, const Trail *trail, Place begin);
/* Reads the holes of a line that is like the one that was learned: where the template ends, and its head; NULL: it is not. */
Place like_read(const LikeLine *like, const Template *template, Span line, Hole *holes, Place *head);
void like_free(LikeLine *like);

#endif
