/* The mesh files that a URDF names: where they are, and what is in them once a browser asks.
 *
 * A URDF says `package://NAME/PATH`, `file:///PATH` or a path from its own folder. Packages are
 * folders of that name: above the URDF's folder, beside one of those, in ROS_PACKAGE_PATH or below
 * share/ of AMENT_PREFIX_PATH. Nothing is served that the URDF does not name, that has another
 * ending than .stl, .obj or .dae, or that a path with `..` leads to, but for one at the beginning
 * of a path from the URDF's folder. */
#ifndef MESH_FILES_H
#define MESH_FILES_H

#include "common/message.h"
#include "live/live_assets.h"

#include <stdbool.h>
#include <stddef.h>

struct mesh_file {
  char *name; /* as the URDF has it */
  char *path; /* NULL: there is none that may be served */
  char *bytes;
  size_t size;
};

struct mesh_files {
  struct mesh_file *file;
  size_t n, n_missing;
  size_t held; /* bytes of all that are in memory */
};

/* Finds what visuals and collisions of the `size` bytes of `urdf` name. [start] `urdf_folder`: of
 * the URDF, or NULL; `folder`: another in which it may lie, or NULL. mesh_files_free frees it. */
void mesh_files_find(struct mesh_files *files, const char *urdf, size_t size,
                     const char *urdf_folder, const char *folder);
void mesh_files_free(struct mesh_files *files);

/* Says in `said` how many are missing, and the first of them; false: none is. [any] */
bool mesh_files_missing(const struct mesh_files *files, struct message *said);

/* The file that "/mesh/N" asks for, read now if it has not been asked for before. [main] False:
 * there is none, or it is too large. `asset` is valid until mesh_files_free. */
bool mesh_files_get(struct mesh_files *files, const char *request, struct live_asset *asset);

#endif
