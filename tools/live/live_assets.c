#include "live/live_assets.h"

#include <string.h>

#define JAVASCRIPT "text/javascript; charset=utf-8"

/* Each file: its name here and in the folder, the path that asks for it, its type. */
#define PAGE_FILES(_)                                                                              \
  _(live_page_html, "page.html", "/", "text/html; charset=utf-8")                                  \
  _(live_page_css, "page.css", "/page.css", "text/css; charset=utf-8")                             \
  _(live_main_js, "main.js", "/main.js", JAVASCRIPT)                                               \
  _(live_messages_js, "messages.js", "/messages.js", JAVASCRIPT)                                   \
  _(live_transforms_js, "transforms.js", "/transforms.js", JAVASCRIPT)                             \
  _(live_robot_js, "robot.js", "/robot.js", JAVASCRIPT)                                            \
  _(live_mesh_formats_js, "mesh_formats.js", "/mesh_formats.js", JAVASCRIPT)                       \
  _(live_surfaces_js, "surfaces.js", "/surfaces.js", JAVASCRIPT)                                   \
  _(live_shapes_js, "shapes.js", "/shapes.js", JAVASCRIPT)                                         \
  _(live_rigid_js, "rigid.js", "/rigid.js", JAVASCRIPT)                                            \
  _(live_shaders_js, "shaders.js", "/shaders.js", JAVASCRIPT)                                      \
  _(live_camera_js, "camera.js", "/camera.js", JAVASCRIPT)                                         \
  _(live_stage_js, "stage.js", "/stage.js", JAVASCRIPT)                                            \
  _(live_view_js, "view.js", "/view.js", JAVASCRIPT)                                               \
  _(live_scene_js, "scene.js", "/scene.js", JAVASCRIPT)                                            \
  _(live_panels_js, "panels.js", "/panels.js", JAVASCRIPT)                                         \
  _(live_charts_js, "charts.js", "/charts.js", JAVASCRIPT)

/* The assembler takes a file as it is; names are from where make runs. */
#define TAKE(name, file, path, type)                                                               \
  extern const char name[], name##_end[];                                                          \
  __asm__(".pushsection .rodata\n" #name ":\n.incbin \"tools/live/page/" file "\"\n" #name         \
          "_end:\n.byte 0\n.popsection\n");
PAGE_FILES(TAKE)

#define ROW(name, file, path, type) {path, type, name, name##_end},
static const struct { const char *path, *type, *begin, *end; } files[] = {PAGE_FILES(ROW)};
enum { FILES = sizeof(files) / sizeof(files[0]) };

const struct live_asset *live_asset_find(const char *path) {
  static struct live_asset found[FILES]; /* written with the same values each time */
  for (size_t i = 0; i < FILES; i++) {
    if (strcmp(files[i].path, path) == 0) {
      found[i] = (struct live_asset){files[i].path, files[i].type, files[i].begin,
                                     (size_t)(files[i].end - files[i].begin)};
      return &found[i];
    }
  }
  return NULL;
}
