#include "reload.h"

#include "common/clock.h"
#include "service/notify.h"

#define SWAP_TIMEOUT_NS NS_PER_S /* for the cycle to come to its next start */

static void say_refused(struct reloader *r, FILE *answer) {
  const struct settings_report *errors = &r->errors;
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
static bool go_over(struct reloader *r, struct generation *next) {
  if (!cycle_swap(r->cycle, next->pipeline, SWAP_TIMEOUT_NS)) {
    settings_error(&r->errors, "", "the cycle does not take the new configuration; is it hung?");
    return false;
  }
  publisher_describe(r->publisher, next->robot, next->settings.pipeline.period_s);
  generation_free(r->running);
  r->running = next;
  return true;
}

bool reload(struct reloader *r, FILE *answer) {
  struct generation *next = NULL;
  struct message kept;
  notify_reloading(clock_now_ns());
  bool done =
      generation_build(r->file, r->overrides, r->running, &next, &r->errors, &kept) == STATUS_OK;
  if (done && !go_over(r, next)) {
    generation_free(next);
    done = false;
  }
  r->report.last_ns = clock_now_ns();
  r->report.last_ok = done;
  if (done) {
    say_done(r, &kept, answer);
  } else {
    say_refused(r, answer);
  }
  publisher_set_reload(r->publisher, &r->report);
  notify_ready();
  return done;
}
