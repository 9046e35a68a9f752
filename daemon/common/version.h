/* The version of every program: the newest entry of tools/debian/changelog, and the commit. */
#ifndef VERSION_H
#define VERSION_H

/* "1.0.0 (584d65a1c2b3)"; the word in brackets ends with -dirty when files differed from the
 * commit, and is missing where there is no git. [any] */
extern const char propriod_version[];

#endif
