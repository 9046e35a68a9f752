#include "cycle/world_keeper.h"

#include "common/clock.h"

enum order_state { ORDER_NONE, ORDER_GIVEN, ORDER_TAKEN, ORDER_DONE, ORDER_REFUSED };

struct world_origin world_keeper_step(struct world_keeper *k, const struct propriod_state *state,
                                      uint64_t resets) {
  /* where the base begins anew, its world does, too */
  if (resets != k->resets && world_origin_is_set(&k->origin)) {
    k->origin = (struct world_origin){0.0, 0.0, 0.0};
    atomic_fetch_add_explicit(&k->lost, 1, memory_order_relaxed);
  }
  k->resets = resets;

  /* an order is taken once; from then on the main thread waits for it */
  int given = ORDER_GIVEN;
  if (atomic_load_explicit(&k->state, memory_order_relaxed) == ORDER_GIVEN &&
      atomic_compare_exchange_strong(&k->state, &given, ORDER_TAKEN)) {
    const enum status found = world_origin_find(&k->order, state, &k->origin);
    k->placed = k->origin;
    atomic_store(&k->state, found == STATUS_OK ? ORDER_DONE : ORDER_REFUSED);
  }
  return k->origin;
}

enum status world_keeper_order(struct world_keeper *k, const struct world_order *order,
                               int64_t timeout_ns, struct world_origin *placed) {
  const int64_t deadline_ns = clock_now_ns() + timeout_ns;
  int state;
  k->order = *order;
  atomic_store(&k->state, ORDER_GIVEN);
  while ((state = atomic_load(&k->state)) == ORDER_GIVEN || state == ORDER_TAKEN) {
    int expected = ORDER_GIVEN;
    if (clock_now_ns() > deadline_ns &&
        atomic_compare_exchange_strong(&k->state, &expected, ORDER_NONE)) {
      return STATUS_STALE; /* taken back before a cycle saw it */
    }
    sleep_until(clock_now_ns() + NS_PER_MS / 2);
  }
  if (state == ORDER_REFUSED) {
    return STATUS_REFUSED;
  }
  *placed = k->placed;
  return STATUS_OK;
}

uint64_t world_keeper_lost(const struct world_keeper *k) {
  return atomic_load_explicit(&k->lost, memory_order_relaxed);
}
