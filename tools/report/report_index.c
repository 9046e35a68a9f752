#include "report_index.h"

#include "escape.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 1024 };

static const char HEAD[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<title>propriod: evaluation</title>\n"
    "<style>\n"
    "body{font:15px/1.5 Helvetica,Arial,sans-serif;color:#1f2933;max-width:960px;margin:2em auto;"
    "padding:0 1em}\n"
    "h2{border-top:2px solid #cbd2d9;padding-top:1em;margin-top:2em}\n"
    "p{white-space:pre-wrap}\na{color:#1769aa}\n"
    "table{border-collapse:collapse;margin:1em 0}\n"
    "caption{text-align:left;font-weight:bold;padding-bottom:.3em}\n"
    "td,th{padding:.2em .8em;border-bottom:1px solid #e4e7eb;text-align:right}\n"
    "td:first-child,th:first-child{text-align:left}\nimg{max-width:100%}\n"
    ".missed{color:#b03060;font-weight:bold}\n"
    "</style>\n</head>\n<body>\n<h1>propriod: evaluation</h1>\n"
    "<p>Seeded simulations and recordings of real robots, each figure held against what was asked "
    "of it. One that is missed is a finding, and stands here until it is reached.</p>\n";

static int is_body(const struct dirent *entry) {
  const size_t length = strlen(entry->d_name), suffix = strlen(REPORT_BODY_SUFFIX);
  return length > suffix && strcmp(entry->d_name + length - suffix, REPORT_BODY_SUFFIX) == 0;
}

static FILE *open_body(const char *folder, const char *name) {
  char path[PATH_SIZE];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  FILE *body = fopen(path, "r");
  if (body == NULL) {
    perror(path);
  }
  return body;
}

/* Rows of a body that end with this cell. */
static size_t rows_with(const char *folder, const char *name, const char *cell) {
  FILE *body = open_body(folder, name);
  size_t count = 0, size = 0;
  char *line = NULL;
  while (body != NULL && getline(&line, &size, body) >= 0) {
    count += strstr(line, cell) != NULL;
  }
  free(line);
  if (body != NULL) {
    fclose(body);
  }
  return count;
}

/* Every case with a link, and how many of its limits were met and missed. */
static void write_contents(FILE *page, const char *folder, struct dirent *const *body, int n) {
  fputs("<nav><table>\n<tr><th>case</th><th>met</th><th>missed</th></tr>\n", page);
  for (int i = 0; i < n; i++) {
    const char *name = body[i]->d_name;
    const int length = (int)(strlen(name) - strlen(REPORT_BODY_SUFFIX));
    const size_t missed = rows_with(folder, name, ">MISSED</td></tr>");
    fprintf(page, "<tr><td><a href=\"#%.*s\">%.*s</a></td><td>%zu</td><td%s>%zu</td></tr>\n",
            length, name, length, name, rows_with(folder, name, ">met</td></tr>"),
            missed > 0 ? " class=\"missed\"" : "", missed);
  }
  fputs("</table></nav>\n", page);
}

static bool append(FILE *page, const char *folder, const char *name) {
  char block[4096];
  FILE *body = open_body(folder, name);
  if (body == NULL) {
    return false;
  }
  for (size_t n = fread(block, 1, sizeof(block), body); n > 0;
       n = fread(block, 1, sizeof(block), body)) {
    fwrite(block, 1, n, page);
  }
  const bool good = !ferror(body);
  fclose(body);
  return good;
}

static bool write_page(const char *folder, struct dirent *const *body, int n) {
  char path[PATH_SIZE];
  snprintf(path, sizeof(path), "%s/index.html", folder);
  FILE *page = fopen(path, "w");
  if (page == NULL) {
    perror(path);
    return false;
  }
  fputs(HEAD, page);
  write_contents(page, folder, body, n);
  bool good = true;
  for (int i = 0; i < n; i++) {
    good = append(page, folder, body[i]->d_name) && good;
  }
  fputs("</body>\n</html>\n", page);
  good = !ferror(page) && good;
  return fclose(page) == 0 && good;
}

bool report_index_write(const char *folder) {
  struct dirent **body;
  const int n = scandir(folder, &body, is_body, alphasort);
  if (n < 0) {
    perror(folder);
    return false;
  }
  const bool good = write_page(folder, body, n);
  for (int i = 0; i < n; i++) {
    free(body[i]);
  }
  free(body);
  return good;
}
