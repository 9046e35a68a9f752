/* The robot as the live page draws it, as JSON: links with their joints, named frames, where skin
 * cells, soles and force sensors sit. What links look like is in the URDF, which the page reads
 * itself.
 *
 *   {"robot": NAME, "fixed_base": BOOL, "sole": [LENGTH, WIDTH],             m, 0 0: a point
 *    "links": [{"name", "parent", "mass", "com": [x, y, z],                  -1: none; kg, m
 *               "joint", "type", "axis", "limits": [low, high], "at": POSE}, ...],  but the first
 *    "frames": [{"name", "link", "at": POSE}, ...],                          also every URDF link
 *    "feet": [...], "wrenches": [...],                                       the same
 *    "meshes": {FILENAME: PATH, ...},                                        of the URDF; of ours
 *    "cells": {"link": [...], "at": [x, y, z, and the normal's, ...]}}
 *
 * A POSE is that of the frame in its link's frame, or of the link in its parent's where the joint
 * is at 0: twelve numbers, rows of the rotation and then the origin, m. */
#ifndef LIVE_ROBOT_H
#define LIVE_ROBOT_H

#include "live/mesh_files.h"
#include "robot/robot.h"

#include <stddef.h>

/* What is known of the soles, m. */
struct live_sole {
  double length, width;
};

/* The text, to be freed, of `*size` bytes, with the meshes that were found; NULL: out of memory.
 * [start] */
char *live_robot_json(const struct robot *robot, struct live_sole sole,
                      const struct mesh_files *meshes, size_t *size);

#endif
