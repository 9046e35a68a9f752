/* Large memory that no cycle touches, in pages of its own: they may leave real memory though all
 * else of the process is locked, and are given back when they are freed. */
#ifndef LOOSE_PAGES_H
#define LOOSE_PAGES_H

#include <stddef.h>

/* Filled with zeros; NULL: no memory. [any] but the cycle. */
void *loose_pages_take(size_t bytes);

/* `bytes` as taken; NULL is allowed. [any] but the cycle. */
void loose_pages_free(void *pages, size_t bytes);

#endif
