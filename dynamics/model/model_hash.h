/* A fingerprint of what a model says about bodies, to tie learned values to it. */
#ifndef MODEL_HASH_H
#define MODEL_HASH_H

#include "model/model.h"

#include <stdint.h>

/* 64-bit FNV-1a over every body's name, parent and inertia and every joint's name, type, placement,
 * axis, rotor inertia, friction and coupling, bit for bit. [start] [worker] Limits and frames do
 * not count: they change nothing that can be learned. */
uint64_t model_hash(const struct model *model);

#endif
