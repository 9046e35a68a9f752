#include "exchange/plot_page.h"

#include "describe/field.h"
#include "report/escape.h"

#include <math.h>
#include <stdbool.h>

enum { WIDTH = 640, HEIGHT = 220, LEFT = 62, RIGHT = 10, TOP = 26, BOTTOM = 40, STRIP = 6 };
enum { PLOT_W = WIDTH - LEFT - RIGHT, PLOT_H = HEIGHT - TOP - BOTTOM };

static const double sigmas = 3.0;

void plot_bins_clear(struct plot_bins *bins) {
  for (size_t i = 0; i < PLOT_BINS; i++) {
    bins->low[i] = bins->high[i] = NAN;
  }
}

void plot_bins_add(struct plot_bins *bins, size_t slice, float low, float high) {
  if (slice < PLOT_BINS && low <= high) {
    bins->low[slice] = fminf(bins->low[slice], low); /* the number, when the other is NaN */
    bins->high[slice] = fmaxf(bins->high[slice], high);
  }
}

static bool known(const struct plot_bins *bins, size_t i) {
  return bins != NULL && !isnan(bins->low[i]);
}

/* -- axes ------------------------------------------------------------------------------------- */

struct range {
  double low, high;
};

static void widen(struct range *range, double low, double high) {
  range->low = fmin(range->low, low);
  range->high = fmax(range->high, high);
}

/* The curves decide; a band that is wider than ten times their span is cut. */
static struct range range_of(const struct plot_panel *panel) {
  struct range curves = {HUGE_VAL, -HUGE_VAL}, band = {HUGE_VAL, -HUGE_VAL};
  for (size_t i = 0; i < PLOT_BINS; i++) {
    if (known(panel->estimated, i)) {
      const double low = (double)panel->estimated->low[i], high = (double)panel->estimated->high[i];
      const double sd =
          known(panel->deviation, i) ? sigmas * (double)panel->deviation->high[i] : 0.0;
      widen(&curves, low, high);
      widen(&band, low - sd, high + sd);
    }
    if (known(panel->measured, i)) {
      widen(&curves, (double)panel->measured->low[i], (double)panel->measured->high[i]);
    }
  }
  if (!(curves.low <= curves.high)) {
    return (struct range){-1.0, 1.0};
  }
  const double room = fmax(0.5 * (curves.high - curves.low), 1e-9);
  widen(&curves, fmax(band.low, curves.low - room), fmin(band.high, curves.high + room));
  const double edge = 0.06 * (curves.high - curves.low) + 1e-9 * fabs(curves.high) + 1e-12;
  return (struct range){curves.low - edge, curves.high + edge};
}

/* A step of 1, 2 or 5 times a power of ten that divides `span` into about `count`. */
static double round_step(double span, int count) {
  const double rough = span / count, power = pow(10.0, floor(log10(rough)));
  const double times = rough / power;
  return power * (times < 1.5 ? 1.0 : times < 3.5 ? 2.0 : times < 7.5 ? 5.0 : 10.0);
}

static double x_of(size_t i) {
  return LEFT + PLOT_W * ((double)i + 0.5) / PLOT_BINS;
}

static double y_of(const struct range *range, double value) {
  const double y = TOP + PLOT_H * (range->high - value) / (range->high - range->low);
  return fmin(fmax(y, TOP), TOP + PLOT_H);
}

static void draw_axes(FILE *out, const struct range *range, double span_s) {
  const double step = round_step(range->high - range->low, 4), second = round_step(span_s, 8);
  fprintf(out, "<g class=\"axis\">");
  for (double v = ceil(range->low / step) * step; v <= range->high; v += step) {
    const double y = y_of(range, v);
    fprintf(out, "<path d=\"M%d %.1fh%d\"/><text x=\"%d\" y=\"%.1f\" class=\"v\">%.6g</text>", LEFT,
            y, PLOT_W, LEFT - 6, y + 4.0, fabs(v) < 1e-9 * step ? 0.0 : v);
  }
  for (double t = 0.0; t <= span_s * (1.0 + 1e-9); t += second) {
    fprintf(out, "<text x=\"%.1f\" y=\"%d\" class=\"t\">%.6g</text>", LEFT + PLOT_W * t / span_s,
            HEIGHT - 8, t);
  }
  fprintf(out, "</g>");
}

/* -- curves ----------------------------------------------------------------------------------- */

/* Through the least and the greatest of each slice, so that no peak is lost; broken where nothing
 * is known for several slices and there is something in most. */
static void draw_line(FILE *out, const char *class, const struct plot_bins *bins,
                      const struct range *range) {
  fprintf(out, "<path class=\"%s\" d=\"", class);
  size_t count = 0, empty = PLOT_BINS;
  for (size_t i = 0; i < PLOT_BINS; i++) {
    count += known(bins, i);
  }
  const size_t gap = count > 0 ? 2 + 3 * PLOT_BINS / count : 0;
  for (size_t i = 0; i < PLOT_BINS; i++) {
    if (!known(bins, i)) {
      empty++;
      continue;
    }
    const double low = y_of(range, (double)bins->low[i]), high = y_of(range, (double)bins->high[i]);
    fprintf(out, "%c%.1f %.1f", empty > gap ? 'M' : 'L', x_of(i), i % 2 == 0 ? low : high);
    if (fabs(low - high) > 0.3) {
      fprintf(out, "V%.1f", i % 2 == 0 ? high : low);
    }
    empty = 0;
  }
  fprintf(out, "\"/>");
}

static void draw_band(FILE *out, const struct plot_panel *panel, const struct range *range) {
  fprintf(out, "<path class=\"band\" d=\"");
  for (size_t i = 0; i < PLOT_BINS; i++) {
    if (known(panel->estimated, i) && known(panel->deviation, i)) {
      const double sd = sigmas * (double)panel->deviation->high[i];
      const double top = y_of(range, (double)panel->estimated->high[i] + sd);
      const double bottom = y_of(range, (double)panel->estimated->low[i] - sd);
      fprintf(out, "M%.1f %.1fV%.1f", x_of(i), top, bottom);
    }
  }
  fprintf(out, "\"/>");
}

static void draw_events(FILE *out, const struct plot_time *time) {
  static const char *const class[] = {"info", "warning", "error"};
  for (size_t i = 0; i < time->n_events; i++) {
    const struct plot_event *event = &time->event[i];
    fprintf(out,
            "<path class=\"event %s\" d=\"M%.1f %dv%d\"><title>%.3f s: ", class[event->severity],
            LEFT + PLOT_W * event->t_s / time->span_s, TOP, PLOT_H, event->t_s);
    print_escaped_xml(out, event->text);
    fprintf(out, "</title></path>");
  }
}

/* The worst status of each slice, as a strip below the curves. */
static void draw_status(FILE *out, const struct plot_bins *status) {
  for (size_t i = 0; status != NULL && i < PLOT_BINS;) {
    size_t end = i + 1;
    if (!known(status, i)) {
      i++;
      continue;
    }
    while (end < PLOT_BINS && (!known(status, end) || status->high[end] == status->high[i])) {
      end++;
    }
    const char *word = propriod_status_words[(int)status->high[i]];
    fprintf(out,
            "<rect class=\"s-%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" "
            "height=\"%d\"><title>%s</title></rect>",
            word, LEFT + PLOT_W * (double)i / PLOT_BINS, TOP + PLOT_H + 2,
            PLOT_W * (double)(end - i) / PLOT_BINS, STRIP, word);
    i = end;
  }
}

/* -- the page --------------------------------------------------------------------------------- */

static const char style[] =
    "body{font:14px system-ui,sans-serif;margin:24px;color:#1c2733;background:#fff}"
    "h1{font-size:20px;margin:0 0 4px}p{margin:0 0 12px;color:#52606d}"
    "main{display:grid;grid-template-columns:repeat(auto-fill,minmax(520px,1fr));gap:14px}"
    "svg{width:100%;height:auto;border:1px solid #e2e8ee;border-radius:6px}"
    "svg text{font:11px system-ui,sans-serif;fill:#52606d}svg .title{font-size:13px;fill:#1c2733;"
    "font-weight:600}.v{text-anchor:end}.t{text-anchor:middle}.axis path{stroke:#e8edf2}"
    "path{fill:none}.band{stroke:#a9cbee;stroke-width:.7}.estimated{stroke:#14539a;stroke-width:1."
    "3}"
    ".measured{stroke:#e07b00;stroke-width:1;stroke-dasharray:3 2}"
    ".event{stroke-width:1.4}.info{stroke:#9aa7b4}.warning{stroke:#d69e00}.error{stroke:#d0342c}"
    ".s-init{fill:#b8c2cc}.s-ok{fill:#3aa76d}.s-degraded{fill:#e8b10e}.s-diverged{fill:#d0342c}"
    ".s-stale{fill:#8a63b8}"
    ".key{display:inline-block;width:22px;height:0;border-top:3px solid;margin:0 5px 3px 14px;"
    "vertical-align:middle}";

void plot_page_begin(FILE *out, const char *title, const char *subtitle) {
  fprintf(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
  print_escaped_xml(out, title);
  fprintf(out, "</title><style>%s</style></head><body>\n<h1>", style);
  print_escaped_xml(out, title);
  fprintf(out, "</h1><p>");
  print_escaped_xml(out, subtitle);
  fprintf(out,
          "</p><p><span class=\"key\" style=\"border-color:#14539a;margin-left:0\"></span>estimated"
          "<span class=\"key\" style=\"border-color:#a9cbee;border-width:9px\"></span>"
          "three standard deviations"
          "<span class=\"key\" style=\"border-color:#e07b00;border-top-style:dashed\"></span>"
          "measured");
  for (int i = 0; propriod_status_words[i] != NULL; i++) {
    const char *word = propriod_status_words[i];
    fprintf(
        out,
        "<svg style=\"width:14px;height:9px;border:0;margin:0 5px 0 14px\"><rect class=\"s-%s\" "
        "width=\"14\" height=\"9\"/></svg>%s",
        word, word);
  }
  fprintf(out, "</p>\n<main>\n");
}

void plot_page_panel(FILE *out, const struct plot_panel *panel, const struct plot_time *time) {
  const struct range range = range_of(panel);
  fprintf(out, "<svg viewBox=\"0 0 %d %d\"><text x=\"%d\" y=\"17\" class=\"title\">", WIDTH, HEIGHT,
          LEFT);
  print_escaped_xml(out, panel->title);
  fprintf(out, "%s", panel->unit[0] != '\0' ? " / " : "");
  print_escaped_xml(out, panel->unit);
  fprintf(out, "</text>");
  draw_axes(out, &range, time->span_s);
  if (panel->deviation != NULL) {
    draw_band(out, panel, &range);
  }
  if (panel->measured != NULL) {
    draw_line(out, "measured", panel->measured, &range);
  }
  draw_line(out, "estimated", panel->estimated, &range);
  draw_events(out, time);
  draw_status(out, time->status);
  fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"v\">s</text></svg>\n", LEFT - 6, HEIGHT - 8);
}

void plot_page_end(FILE *out, const struct plot_time *time) {
  fprintf(out, "</main>\n");
  if (time->n_events > 0) {
    fprintf(out, "<h1 style=\"margin-top:20px\">Events</h1><p>");
    for (size_t i = 0; i < time->n_events; i++) {
      fprintf(out, "%.3f s: ", time->event[i].t_s);
      print_escaped_xml(out, time->event[i].text);
      fprintf(out, "<br>\n");
    }
    fprintf(out, "</p>");
  }
  fprintf(out, "</body></html>\n");
}
