#include "delay_line.h"

#include <stdlib.h>

static const double ns_per_s = 1e9;

static size_t capacity_for(const struct sim_stream_options *options, double period_s) {
  const double under_way = (options->latency_s + options->jitter_s + period_s) * options->rate_hz;
  return (size_t)ceil(under_way) + 3; /* one at the daemon, one being written, one for rounding */
}

enum status delay_line_init(struct delay_line *line, const struct sim_stream_options *options,
                            size_t sample_bytes, double period_s, struct sim_random random) {
  struct delay_line new = {.options = *options, .random = random, .sample_bytes = sample_bytes};
  if (options->rate_hz > 0.0) {
    new.capacity = capacity_for(options, period_s);
    new.samples = calloc(new.capacity, sample_bytes > 0 ? sample_bytes : 1);
    new.slot = calloc(new.capacity, sizeof(*new.slot));
    if (new.samples == NULL || new.slot == NULL) {
      delay_line_free(&new);
      return STATUS_NO_MEMORY;
    }
  }
  *line = new;
  return STATUS_OK;
}

void delay_line_free(struct delay_line *line) {
  free(line->samples);
  free(line->slot);
  *line = (struct delay_line){0};
}

bool delay_line_is_due(const struct delay_line *line, int64_t elapsed_ns) {
  return line->capacity > 0 &&
         elapsed_ns >= llround((double)line->taken * ns_per_s / line->options.rate_hz);
}

void *delay_line_send(struct delay_line *line, int64_t t_ns) {
  const struct sim_stream_options *options = &line->options;
  line->taken++;
  const bool lost = sim_uniform(&line->random, 0.0, 1.0) < options->loss;
  const double delay =
      options->latency_s + options->jitter_s * sim_uniform(&line->random, 0.0, 1.0);
  if (lost || line->count + 1 >= line->capacity) {
    return NULL;
  }
  int64_t arrival = t_ns + llround(delay * ns_per_s);
  if (line->count > 0 && arrival < line->last_arrival_ns) {
    arrival = line->last_arrival_ns; /* nobody overtakes */
  }
  line->last_arrival_ns = arrival;
  const size_t k = (line->head + line->count) % line->capacity;
  line->slot[k] = (struct delay_slot){t_ns, arrival};
  line->count++;
  return line->samples + k * line->sample_bytes;
}

/* The instant that the driver writes. */
static int64_t stamp_of(const struct sim_stream_options *options, const struct delay_slot *slot) {
  const int64_t t_ns = options->arrival_stamps ? slot->arrival_ns : slot->t_ns;
  return t_ns + llround(options->stamp_error_s * ns_per_s);
}

void *delay_line_receive(struct delay_line *line, int64_t now_ns) {
  line->stamp.fresh = false;
  while (line->count > 0 && line->slot[line->head].arrival_ns <= now_ns) {
    line->stamp.present = true;
    line->stamp.fresh = true;
    line->stamp.seq++;
    line->stamp.t_ns = stamp_of(&line->options, &line->slot[line->head]);
    line->at_daemon = line->head;
    line->head = (line->head + 1) % line->capacity;
    line->count--;
  }
  return line->stamp.present ? line->samples + line->at_daemon * line->sample_bytes : NULL;
}
