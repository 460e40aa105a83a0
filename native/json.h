/* A JSON object as nodes, each behind the one that holds it; and what a record asks of it. What is not spelled in the usual
   way (escapes in strings, keys that stand twice, NaN) is for the reference reader. */
#ifndef BENCHLEDGER_JSON_H
#define BENCHLEDGER_JSON_H

#include "bytes.h"

enum { MOST_NODES = 512, MOST_JSON_KEYS = 64, MOST_JSON_DEPTH = 32, MOST_JSON_NUMBER = 200 };

enum { JSON_NULL, JSON_TRUE, JSON_FALSE, JSON_INT, JSON_FLOAT, JSON_STRING, JSON_OBJECT, JSON_ARRAY };

typedef struct {
    uint32_t kind;
    /* The number of the node behind this one and all that it holds. */
    uint32_t behind;
    Span key, text;
} Node;

typedef struct {
    Node nodes[MOST_NODES];
    uint32_t count;
    /* The text that was read: nothing is read twice. And where the object ends in it. */
    Span of;
    Place end;
} Json;

/* Reads the object at the beginning of a text. 0: there is none of the usual spelling. */
int json_read(Json *json, Span text);

/* The node at a dotted path, or NULL. */
const Node *json_at(const Json *json, Span path);

/* Whether a list is spelled as Python would write it again. */
int json_is_as_written(const Json *json, const Node *list);

/* Which objects are a record: one of the texts stands at the path, none does, something does. A list without texts: an
   empty list. */
enum { CONDITION_WHERE, CONDITION_UNLESS, CONDITION_HAS, CONDITIONS };

typedef struct {
    uint32_t kind;
    Span path;
    Span *texts;
    uint32_t count;
    int is_list;
} Condition;

typedef struct {
    Span name, path;
} JsonValue;

typedef struct {
    uint32_t target;
    Span path;
} JsonColumn;

typedef struct {
    Condition *conditions;
    uint32_t conditions_count;
    /* Of the whole object's values the path is kept, or of single ones name and path. */
    Span all;
    JsonValue *values;
    uint32_t values_count;
    /* Where the name and the value of a further one stand, if the first has a start. */
    Span name_path, value_path;
    JsonColumn *columns;
    uint32_t columns_count;
    /* How many microseconds the unit of a time has that is a number; 0: it is none. */
    uint32_t micros;
} JsonMap;

/* 1: a record, 0: none, -1: only the reference reader knows. */
int json_selects(const JsonMap *map, const Json *json);

#endif
