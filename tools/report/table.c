#include "table.h"

#include "escape.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct table {
  char title[2 * TABLE_CELL_SIZE];
  size_t n_columns, n_rows;
  char heading[TABLE_MAX_COLUMNS][TABLE_CELL_SIZE];
  struct {
    size_t n_cells;
    char cell[TABLE_MAX_COLUMNS][TABLE_CELL_SIZE];
  } row[TABLE_MAX_ROWS];
};

struct table *table_create(const char *title, ...) {
  struct table *table = calloc(1, sizeof(*table));
  if (table == NULL) {
    return NULL;
  }
  snprintf(table->title, sizeof(table->title), "%s", title);
  va_list headings;
  va_start(headings, title);
  for (const char *heading = va_arg(headings, const char *);
       heading != NULL && table->n_columns < TABLE_MAX_COLUMNS;
       heading = va_arg(headings, const char *)) {
    snprintf(table->heading[table->n_columns++], TABLE_CELL_SIZE, "%s", heading);
  }
  va_end(headings);
  return table;
}

void table_free(struct table *table) {
  free(table);
}

size_t table_rows(const struct table *table) {
  return table != NULL ? table->n_rows : 0;
}

void table_row(struct table *table, const char *label) {
  if (table != NULL && table->n_rows < TABLE_MAX_ROWS) {
    table->n_rows++;
    table_text(table, label);
  }
}

void table_text(struct table *table, const char *text) {
  if (table == NULL || table->n_rows == 0) {
    return;
  }
  const size_t row = table->n_rows - 1;
  if (table->row[row].n_cells < table->n_columns) {
    snprintf(table->row[row].cell[table->row[row].n_cells++], TABLE_CELL_SIZE, "%s", text);
  }
}

void table_number(struct table *table, const char *format, double value) {
  char text[TABLE_CELL_SIZE] = "-";
  if (!isnan(value)) {
    snprintf(text, sizeof(text), format, value);
  }
  table_text(table, text);
}

/* Characters, not bytes: units carry superscripts. */
static int characters(const char *text) {
  int count = 0;
  for (; *text != '\0'; text++) {
    count += ((unsigned char)*text & 0xC0u) != 0x80u; /* not a continuation of UTF-8 */
  }
  return count;
}

static int column_width(const struct table *table, size_t column) {
  int width = characters(table->heading[column]);
  for (size_t r = 0; r < table->n_rows; r++) {
    const int cell = characters(table->row[r].cell[column]);
    width = cell > width ? cell : width;
  }
  return width;
}

/* One line of cells between bars, or aligned in columns two spaces apart when `bar` is empty. */
static void print_cells(const struct table *table, const char cell[][TABLE_CELL_SIZE],
                        const char *bar, FILE *file) {
  for (size_t c = 0; c < table->n_columns; c++) {
    const int room = column_width(table, c) - characters(cell[c]);
    fputs(bar[0] != '\0' ? "| " : "  ", file);
    fprintf(file, "%*s%s%*s", c > 0 ? room : 0, "", cell[c], c > 0 ? 0 : room, "");
    fputs(bar[0] != '\0' ? " " : "", file);
  }
  fprintf(file, "%s\n", bar);
}

void table_print(const struct table *table, FILE *file) {
  if (table == NULL) {
    return;
  }
  fprintf(file, "\n%s\n", table->title);
  print_cells(table, table->heading, "", file);
  for (size_t c = 0; c < table->n_columns; c++) {
    fputs("  ", file);
    for (int i = column_width(table, c); i > 0; i--) {
      fputc('-', file);
    }
  }
  fputc('\n', file);
  for (size_t r = 0; r < table->n_rows; r++) {
    print_cells(table, table->row[r].cell, "", file);
  }
}

void table_print_markdown(const struct table *table, FILE *file) {
  if (table == NULL) {
    return;
  }
  fprintf(file, "\n**%s**\n\n", table->title);
  print_cells(table, table->heading, "|", file);
  for (size_t c = 0; c < table->n_columns; c++) {
    fputs(c == 0 ? "|---" : "|--:", file);
  }
  fputs("|\n", file);
  for (size_t r = 0; r < table->n_rows; r++) {
    print_cells(table, table->row[r].cell, "|", file);
  }
}

static void print_html_row(const struct table *table, const char cell[][TABLE_CELL_SIZE],
                           const char *tag, FILE *file) {
  fputs("<tr>", file);
  for (size_t c = 0; c < table->n_columns; c++) {
    fprintf(file, strcmp(cell[c], "MISSED") == 0 ? "<%s class=\"missed\">" : "<%s>", tag);
    print_escaped_xml(file, cell[c]);
    fprintf(file, "</%s>", tag);
  }
  fputs("</tr>\n", file);
}

void table_print_html(const struct table *table, FILE *file) {
  if (table == NULL) {
    return;
  }
  fputs("<table>\n<caption>", file);
  print_escaped_xml(file, table->title);
  fputs("</caption>\n", file);
  print_html_row(table, table->heading, "th", file);
  for (size_t r = 0; r < table->n_rows; r++) {
    print_html_row(table, table->row[r].cell, "td", file);
  }
  fputs("</table>\n", file);
}
