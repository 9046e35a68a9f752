/* Tables of results: aligned on the terminal, Markdown and HTML in files.
 *
 *   struct table *table = table_create("RMS error of ddq", "class", "KF3 (rad/s²)", "ours", NULL);
 *   table_row(table, "slow");
 *   table_number(table, "%.3f", 0.512);
 *   table_number(table, "%.3f", 0.298);
 *   report_table(report, table);
 *
 * The first column is left-aligned text, the others are right-aligned. NaN shows as a dash. All
 * functions: [start]; NULL is accepted, and too many rows or columns are left out. */
#ifndef TABLE_H
#define TABLE_H

#include <stddef.h>
#include <stdio.h>

#define TABLE_MAX_COLUMNS 16
#define TABLE_MAX_ROWS    512
#define TABLE_CELL_SIZE   192

struct table;

/* Column headings end with NULL. */
struct table *table_create(const char *title, ...) __attribute__((sentinel));
void table_free(struct table *table);

/* Begins a row with the text of its first column. */
void table_row(struct table *table, const char *label);
/* The row's next cell. `format` takes one double. */
void table_number(struct table *table, const char *format, double value);
void table_text(struct table *table, const char *text);

size_t table_rows(const struct table *table);

void table_print(const struct table *table, FILE *file);
void table_print_markdown(const struct table *table, FILE *file);
void table_print_html(const struct table *table, FILE *file);

#endif
