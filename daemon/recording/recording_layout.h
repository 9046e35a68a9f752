/* The file of a recording: what lies where.
 *
 * Little-endian. A head, then blocks one behind the other, each with a head of its own:
 *
 *   struct recording_head            64 bytes
 *   struct block_head, payload       64 bytes, stored_size bytes, zeros up to a multiple of 8
 *   struct block_head, payload       ...
 *
 * There is no index in the file: whoever opens it goes from block head to block head, so that a
 * file whose writer was killed, or whose disk was full, is as good as any up to its last whole
 * block. Heads and payloads have checksums (XXH3, 64 bits); behind a damaged block the next head is
 * found by its mark, at a multiple of 8.
 *
 * A payload is compressed with zstd (`size` bytes when it is not). What it holds, by kind:
 *
 *   BLOCK_TEXT    what the robot was made of, so that the file needs nothing beside it: uint32_t
 *                 generation (1: of the start; each reload counts on), char name[60], its bytes.
 *                 Names: settings.yaml, robot.urdf, cells.csv, calibration.csv (those that there
 *                 are), learned (struct learned_inertia, learned_inertia.h), program (text: version
 *                 and instruction set)
 *   BLOCK_EVENT   struct recorded_event, its text, zeros up to a multiple of 8; one after another
 *   BLOCK_CYCLES  cycles with the sensor frames they took, in columns (cycle_block.h)
 *   BLOCK_END     nothing: the writer has ended by its own will */
#ifndef RECORDING_LAYOUT_H
#define RECORDING_LAYOUT_H

#include "propriod/shm_layout.h"

#include <stdint.h>

#define RECORDING_MAGIC   "PPRDREC2"
#define RECORDING_VERSION 3u          /* 3 has columns whose numbers have a step each (counts.h) */
#define RECORDING_OLDEST  2u          /* that is read */
#define BLOCK_MARK        0x4b4c4250u /* "PBLK" */
#define BLOCK_ALIGN       8u
#define BLOCK_LARGEST     (64u << 20) /* bytes of a payload, compressed or not */

/* At the beginning of the file. */
struct recording_head {
  char magic[8];
  uint32_t version;
  uint32_t part;                        /* of its session: 0, 1, ... as files were changed */
  uint32_t count[PROPRIOD_SHM_STREAMS]; /* joints, IMUs, cells, wrench sensors */
  uint64_t model_hash;                  /* robot.h; 0: unknown */
  uint64_t session;                     /* a random number; parts of one session have the same */
  int64_t wall_ns;                      /* CLOCK_REALTIME less CLOCK_MONOTONIC at the beginning */
  uint64_t checksum;                    /* of all above */
};
_Static_assert(sizeof(struct recording_head) == 64, "as written above");

enum block_kind { BLOCK_TEXT = 1, BLOCK_EVENT, BLOCK_CYCLES, BLOCK_END };
enum block_coding { BLOCK_PLAIN, BLOCK_ZSTD };

/* Before each payload. */
struct block_head {
  uint32_t mark;
  uint8_t kind;   /* enum block_kind; readers pass over what they do not know */
  uint8_t coding; /* enum block_coding */
  uint16_t reserved;
  uint32_t number;      /* 0, 1, ... in the session; what is missing was not written */
  uint32_t items;       /* cycles or events in it; of a text, its generation */
  uint32_t stored_size; /* bytes of the payload as it lies in the file */
  uint32_t size;        /* and when it is no longer compressed */
  int64_t first_ns;     /* instants of its first and last item, CLOCK_MONOTONIC */
  int64_t last_ns;
  uint64_t lost;     /* cycles of the session not recorded up to here */
  uint64_t payload;  /* checksum of the payload as it lies in the file */
  uint64_t checksum; /* of all above */
};
_Static_assert(sizeof(struct block_head) == 64, "as written above");

#define RECORDING_NAME_SIZE 60

/* Before a text's bytes. */
struct recorded_text {
  uint32_t generation;
  char name[RECORDING_NAME_SIZE]; /* ends with zero */
};

#define RECORDING_KIND_SIZE 32

/* Before an event's text. */
struct recorded_event {
  int64_t t_ns;      /* CLOCK_MONOTONIC */
  uint32_t severity; /* enum event_severity */
  uint32_t length;   /* bytes of the text */
  char kind[RECORDING_KIND_SIZE];
};

#endif
