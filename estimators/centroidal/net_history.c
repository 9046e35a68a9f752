#include "centroidal/net_history.h"

void net_history_note(struct net_history *history, const struct net_moment *now) {
  history->at[history->count++ % NET_HISTORY] = *now;
}

const struct net_moment *net_history_at(const struct net_history *history, int64_t t_ns) {
  const struct net_moment *found = NULL;
  for (size_t back = 1; back <= history->count && back <= NET_HISTORY; back++) {
    found = &history->at[(history->count - back) % NET_HISTORY];
    if (found->t_ns <= t_ns) {
      break;
    }
  }
  return found;
}
