/* The files of the live page, which are part of the program: it needs nothing beside it. */
#ifndef LIVE_ASSETS_H
#define LIVE_ASSETS_H

#include <stddef.h>

struct live_asset {
  const char *path; /* of the request: "/page.css" */
  const char *type; /* as HTTP names it */
  const char *bytes;
  size_t size;
};

/* The file that a request's path means, "/" for the page itself; NULL: there is none. [any] */
const struct live_asset *live_asset_find(const char *path);

#endif
