#include "live/mesh_files.h"

#include "common/file.h"
#include "urdf/urdf_xml.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum {
  MOST_FILES = 1024,
  MOST_FOLDERS = 24,                /* above a URDF */
  LARGEST_URDF = 64 << 20,          /* bytes */
  LARGEST_FILE = 64 << 20,          /* bytes */
  LARGEST_OF_ALL = 512 << 20,       /* bytes: of what is kept in memory */
  SCHEME = sizeof("package://") - 1 /* characters */
};

/* -- which ------------------------------------------------------------------------------------ */

static enum status open_element(void *context, const struct xml_element *element,
                                struct message *error) {
  struct mesh_files *files = context;
  const char *name = xml_attribute(element, "filename");
  (void)error;
  if (strcmp(element->name, "mesh") != 0 || name == NULL || files->n == MOST_FILES) {
    return STATUS_OK;
  }
  // many links may share one
  for (size_t i = 0; i < files->n; i++) {
    if (strcmp(files->file[i].name, name) == 0) {
      return STATUS_OK;
    }
  }
  struct mesh_file *more = realloc(files->file, (files->n + 1) * sizeof(*more));
  if (more == NULL) {
    return STATUS_NO_MEMORY;
  }
  files->file = more;
  files->file[files->n] = (struct mesh_file){.name = strdup(name)};
  if (files->file[files->n].name == NULL) {
    return STATUS_NO_MEMORY;
  }
  files->n++;
  return STATUS_OK;
}

static enum status close_element(void *context, const struct xml_place *place,
                                 struct message *error) {
  (void)context;
  (void)place;
  (void)error;
  return STATUS_OK;
}

/* -- where ------------------------------------------------------------------------------------ */

/* A page reads these. */
static bool is_drawn(const char *path) {
  const char *ending = strrchr(path, '.');
  return ending != NULL && (strcasecmp(ending, ".stl") == 0 || strcasecmp(ending, ".obj") == 0 ||
                            strcasecmp(ending, ".dae") == 0);
}

static bool climbs(const char *path) {
  for (const char *at = path; (at = strstr(at, "..")) != NULL; at += 2) {
    if ((at == path || at[-1] == '/') && (at[2] == '/' || at[2] == '\0')) {
      return true;
    }
  }
  return false;
}

/* FOLDER/MIDDLE/PATH, when there is such a file; from malloc, or NULL. */
static char *file_in(const char *folder, size_t length, const char *middle, const char *path) {
  char whole[PATH_MAX];
  const int size = snprintf(whole, sizeof(whole), "%.*s/%s%s", (int)length, folder, middle, path);
  return size < (int)sizeof(whole) && access(whole, R_OK) == 0 ? strdup(whole) : NULL;
}

/* In the folders of a variable, one behind the other with colons: NAME/REST in each, or REST where
 * the folder itself is the package. */
static char *in_listed(const char *variable, const char *below, const char *package) {
  const char *folder = getenv(variable), *rest = strchr(package, '/');
  const size_t name = rest != NULL ? (size_t)(rest - package) : 0;
  char *found = NULL;
  while (found == NULL && rest != NULL && folder != NULL && *folder != '\0') {
    const size_t length = strcspn(folder, ":");
    found = file_in(folder, length, below, package);
    if (found == NULL && length > name && folder[length - name - 1] == '/' &&
        strncmp(folder + length - name, package, name) == 0) {
      found = file_in(folder, length, "", rest + 1);
    }
    folder += length + (folder[length] == ':');
  }
  return found;
}

/* In the folder, or one above it, that is or has the package. */
static char *above(const char *folder, const char *package) {
  const char *rest = strchr(package, '/');
  const size_t name = rest != NULL ? (size_t)(rest - package) : 0;
  size_t length = strlen(folder);
  char *found = NULL;
  for (int i = 0; found == NULL && rest != NULL && i < MOST_FOLDERS; i++) {
    found = file_in(folder, length, "", package);
    const size_t end = length;
    while (length > 0 && folder[--length] != '/') {
    }
    if (found == NULL && end - length == name + 1 &&
        strncmp(folder + length + 1, package, name) == 0) {
      found = file_in(folder, end, "", rest + 1);
    }
    if (end == 0) {
      break;
    }
  }
  return found;
}

static char *find_package(const char *package, const char *const folder[2]) {
  char *found = climbs(package) ? NULL : in_listed("ROS_PACKAGE_PATH", "", package);
  for (size_t i = 0; !climbs(package) && found == NULL && i < 2; i++) {
    found = folder[i] != NULL ? above(folder[i], package) : NULL;
  }
  return found != NULL || climbs(package) ? found
                                          : in_listed("AMENT_PREFIX_PATH", "share/", package);
}

/* A path from the URDF's folder, or from the root when it leads below one of the folders. */
static char *find_path(const char *path, const char *const folder[2]) {
  const bool aside = strncmp(path, "../", 3) == 0, absolute = path[0] == '/';
  char *found = NULL;
  if (climbs(aside ? path + 3 : path)) {
    return NULL;
  }
  for (size_t i = 0; found == NULL && i < 2; i++) {
    const size_t length = folder[i] != NULL ? strlen(folder[i]) : 0;
    if (folder[i] != NULL && absolute) {
      found = strncmp(path, folder[i], length) == 0 && path[length] == '/'
                  ? file_in("", 0, "", path + 1)
                  : NULL;
    } else if (folder[i] != NULL) {
      found = file_in(folder[i], length, "", path);
    }
  }
  return found;
}

static char *find(const char *name, const char *const folder[2]) {
  if (!is_drawn(name)) {
    return NULL;
  }
  if (strncmp(name, "package://", SCHEME) == 0) {
    return find_package(name + SCHEME, folder);
  }
  if (strncmp(name, "model://", strlen("model://")) == 0) {
    return find_package(name + strlen("model://"), folder);
  }
  const bool file = strncmp(name, "file://", strlen("file://")) == 0;
  return find_path(file ? name + strlen("file://") : name, folder);
}

void mesh_files_find(struct mesh_files *files, const char *urdf, size_t size,
                     const char *urdf_folder, const char *folder) {
  const struct xml_listener listener = {files, open_element, close_element};
  char real[2][PATH_MAX];
  const char *const folders[2] = {
      urdf_folder != NULL ? realpath(urdf_folder, real[0]) : NULL,
      folder != NULL ? realpath(folder, real[1]) : NULL,
  };
  struct message unheard;
  *files = (struct mesh_files){.n = 0};
  // whoever loaded the robot has said what is wrong with its URDF
  (void)xml_walk(urdf, size, LARGEST_URDF, &listener, &unheard);
  for (size_t i = 0; i < files->n; i++) {
    files->file[i].path = find(files->file[i].name, folders);
    files->n_missing += files->file[i].path == NULL;
  }
}

void mesh_files_free(struct mesh_files *files) {
  for (size_t i = 0; i < files->n; i++) {
    free(files->file[i].name);
    free(files->file[i].path);
    free(files->file[i].bytes);
  }
  free(files->file);
  *files = (struct mesh_files){.n = 0};
}

bool mesh_files_missing(const struct mesh_files *files, struct message *said) {
  for (size_t i = 0; i < files->n; i++) {
    if (files->file[i].path == NULL) {
      message_set(said,
                  "%zu of %zu meshes are not found, simple shapes are drawn in their place; "
                  "the first is %.300s (ROS_PACKAGE_PATH, --meshes)",
                  files->n_missing, files->n, files->file[i].name);
      return true;
    }
  }
  return false;
}

/* -- what is in them -------------------------------------------------------------------------- */

bool mesh_files_get(struct mesh_files *files, const char *request, struct live_asset *asset) {
  unsigned number;
  int length = 0;
  if (sscanf(request, "/mesh/%4u%n", &number, &length) != 1 || request[length] != '\0' ||
      number >= files->n || files->file[number].path == NULL) {
    return false;
  }
  struct mesh_file *file = &files->file[number];
  struct message unheard;
  if (file->bytes == NULL) {
    if (files->held >= LARGEST_OF_ALL ||
        file_read(file->path, LARGEST_FILE, &file->bytes, &file->size, &unheard) != STATUS_OK) {
      return false;
    }
    files->held += file->size;
  }
  *asset = (struct live_asset){request, "application/octet-stream", file->bytes, file->size};
  return true;
}
