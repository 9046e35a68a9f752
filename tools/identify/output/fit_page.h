/* A fit as one HTML page that needs nothing beside it: torques on rows that were not fitted, what
 * is left of them, and tables before and after. */
#ifndef FIT_PAGE_H
#define FIT_PAGE_H

#include "identify/output/fit_listing.h"
#include "identify/rows/row_set.h"

/* Writes the page. [start] rows: that the fit is judged by, from `first` on. */
void fit_page(const struct fit_listing *listing, const struct row_set *rows, size_t first,
              FILE *file);

#endif
