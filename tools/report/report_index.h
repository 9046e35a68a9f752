/* One page, index.html, with every case found in a folder. */
#ifndef REPORT_INDEX_H
#define REPORT_INDEX_H

#include <stdbool.h>

/* Cases leave the body of their page in files that end like this. */
#define REPORT_BODY_SUFFIX ".part.html"

/* Joins the bodies, in the order of their names, under one head with a list of contents that counts
 * the limits met and missed. False when the folder or the page could not be read or written (said
 * on standard error). */
bool report_index_write(const char *folder);

#endif
