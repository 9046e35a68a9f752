/* Any bytes as a block's columns, behind the checksums that keep most of them from getting so far:
 * refused, or as many cycles as the block says, within the arrays of the robot. */
#include "recording/cycle_reader.h"
#include "require.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const uint32_t count[PROPRIOD_SHM_STREAMS] = {7, 1, 70, 2}; /* as in the seeds */
  struct cycle_block block = {.memory = NULL};
  struct cycle_reader reader;
  memcpy(block.count, count, sizeof(count));
  REQUIRE(cycle_reader_init(&reader, count) == STATUS_OK);
  volatile double sum = 0.0;
  if (cycle_block_unpack(&block, data, size) == STATUS_OK) {
    size_t cycles = 0;
    while (cycle_reader_next(&reader, &block) == STATUS_OK) {
      REQUIRE(++cycles <= cycle_block_cycles(&block));
      const struct sensor_frame *frame = &reader.cycle.frame;
      sum = sum + frame->joints.q[6] + (double)frame->skin.acceleration[209] +
            frame->skin.flags[69] + frame->wrench.wrench[1].lin.z + (double)reader.cycle.chosen[1];
      if ((reader.cycle.flags & CYCLE_HAS_RESULT) != 0) {
        REQUIRE(reader.result.state.n_joints == 7 && reader.result.centroidal.n_feet <= 8);
      }
    }
  }
  cycle_block_free(&block);
  cycle_reader_free(&reader);
  return 0;
}
