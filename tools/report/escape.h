/* Text inside XML and HTML, and inside JSON strings. */
#ifndef ESCAPE_H
#define ESCAPE_H

#include <stdio.h>

void print_escaped_xml(FILE *file, const char *text);
/* With the surrounding quotes. */
void print_json_string(FILE *file, const char *text);
/* A JSON number, or null where the value is not finite. */
void print_json_number(FILE *file, double value);

#endif
