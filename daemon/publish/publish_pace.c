#include "publish/publish_pace.h"

#include "common/clock.h"

/* A result is handed over a little earlier or later each cycle: most come within MARGIN of the last
 * one's phase, and who missed it by little looks again after SHORTEST. */
static const int64_t margin_ns = 40 * NS_PER_US, shortest_ns = 50 * NS_PER_US;

int64_t publish_next_look(int64_t newest_ns, int64_t period_ns, int64_t now_ns) {
  const int64_t due_ns = newest_ns + period_ns + margin_ns;
  if (due_ns > now_ns) {
    return due_ns;
  }
  int64_t nap_ns = (now_ns - due_ns) / 2;
  nap_ns = nap_ns < shortest_ns ? shortest_ns : nap_ns;
  nap_ns = nap_ns > period_ns ? period_ns : nap_ns;
  return now_ns + nap_ns;
}
