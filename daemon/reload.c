#include "reload.h"

#include "common/clock.h"
#include "describe.h"
#include "service/systemd.h"

#define SWAP_TIMEOUT_NS NS_PER_S        /* for the cycle to come to its next start */
#define RELOAD_LONG_NS  (2 * NS_PER_S)  /* a load that takes longer says so */
#define RELOAD_WORD_NS  (10 * NS_PER_S) /* and again so often */

static void say_refused(struct reloader *r, const struct settings_report *errors, FILE *answer) {
  const char *first = errors->error[0].text;
  char more[48] = "";
  if (errors->n_errors > 1) {
    snprintf(more, sizeof(more), " (and %zu more errors)", errors->n_errors - 1);
  }
  settings_print_errors(answer, errors);
  fputs("the running configuration stays\n", answer);
  log_line(r->log, LOG_LEVEL_ERROR, "reload refused", "reload refused: %s%s", first, more);
  publisher_event(r->publisher, EVENT_ERROR, "reload_refused", "%s%s", first, more);
  r->report.refused++;
  snprintf(r->report.last_text, sizeof(r->report.last_text), "%s", first);
}

static void say_done(struct reloader *r, const struct message *kept, FILE *answer) {
  fprintf(answer, "%s is in effect\n", r->file);
  log_line(r->log, LOG_LEVEL_NOTICE, "reload", "reloaded %s", r->file);
  publisher_event(r->publisher, EVENT_INFO, "reload", "%s is in effect", r->file);
  if (kept->text[0] != '\0') {
    fprintf(answer, "these changes wait for a restart: %s\n", kept->text);
    log_line(r->log, LOG_LEVEL_WARNING, "reload waits", "these changes wait for a restart: %s",
             kept->text);
    publisher_event(r->publisher, EVENT_WARNING, "restart_needed", "%s", kept->text);
  }
  r->report.accepted++;
  r->report.last_text[0] = '\0';
}

/* Hands the new pipeline to the cycle and waits until the old one is out of use. */
static bool go_over(struct reloader *r, struct load *load) {
  struct generation *next = load->made;
  describe_generation(r->recorder, r->generation + 1, next, NULL);
  if (!cycle_swap(r->cycle, next->pipeline, SWAP_TIMEOUT_NS)) {
    settings_error(&load->errors, "", "the cycle does not take the new configuration; is it hung?");
    generation_free(next);
    return false;
  }
  publisher_describe(r->publisher, next->robot, next->settings.pipeline.period_s);
  generation_free(r->running);
  r->running = next;
  r->generation++;
  return true;
}

bool reload_begin(struct reloader *r) {
  if (r->loader->under_way) {
    return false;
  }
  r->begun_ns = clock_now_ns();
  r->word_ns = r->begun_ns + RELOAD_LONG_NS;
  systemd_reloading(r->begun_ns);
  loader_order(r->loader, r->file, r->overrides, r->running);
  return true;
}

static void say_that_it_takes_long(struct reloader *r, int64_t now_ns) {
  const double seconds = (double)(now_ns - r->begun_ns) * 1e-9;
  r->word_ns = now_ns + RELOAD_WORD_NS;
  log_line(r->log, LOG_LEVEL_WARNING, "reload slow",
           "the configuration is being read for %.0f s; the running one stays meanwhile", seconds);
  publisher_event(r->publisher, EVENT_WARNING, "reload_slow", "being read for %.0f s", seconds);
}

enum reload_state reload_step(struct reloader *r, int64_t now_ns, FILE *answer) {
  if (!r->loader->under_way) {
    return RELOAD_NONE;
  }
  struct load *load = loader_take(r->loader, now_ns);
  if (load == NULL) {
    if (r->loader->given_up) {
      return RELOAD_NONE;
    }
    if (now_ns >= r->word_ns) {
      say_that_it_takes_long(r, now_ns);
    }
    return RELOAD_UNDER_WAY;
  }
  const bool done = load->status == STATUS_OK && go_over(r, load);
  r->report.last_ns = clock_now_ns();
  r->report.last_ok = done;
  if (done) {
    say_done(r, &load->kept, answer);
  } else {
    say_refused(r, &load->errors, answer);
  }
  publisher_set_reload(r->publisher, &r->report);
  systemd_ready();
  return done ? RELOAD_DONE : RELOAD_REFUSED;
}
