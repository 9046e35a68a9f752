#include "live/live_assets.h"

#include <string.h>

/* The assembler takes a file as it is; names are from where make runs. */
#define TAKE(name, file)                                                                           \
  extern const char name[], name##_end[];                                                          \
  __asm__(".pushsection .rodata\n" #name ":\n.incbin \"tools/live/page/" file "\"\n" #name         \
          "_end:\n.byte 0\n.popsection\n")

TAKE(live_page_html, "page.html");
TAKE(live_page_css, "page.css");
TAKE(live_main_js, "main.js");
TAKE(live_messages_js, "messages.js");
TAKE(live_transforms_js, "transforms.js");
TAKE(live_robot_js, "robot.js");
TAKE(live_shapes_js, "shapes.js");
TAKE(live_rigid_js, "rigid.js");
TAKE(live_view_js, "view.js");
TAKE(live_scene_js, "scene.js");
TAKE(live_panels_js, "panels.js");
TAKE(live_charts_js, "charts.js");

static const struct {
  const char *path, *type, *begin, *end;
} files[] = {
    {"/", "text/html; charset=utf-8", live_page_html, live_page_html_end},
    {"/page.css", "text/css; charset=utf-8", live_page_css, live_page_css_end},
    {"/main.js", "text/javascript; charset=utf-8", live_main_js, live_main_js_end},
    {"/messages.js", "text/javascript; charset=utf-8", live_messages_js, live_messages_js_end},
    {"/transforms.js", "text/javascript; charset=utf-8", live_transforms_js,
     live_transforms_js_end},
    {"/robot.js", "text/javascript; charset=utf-8", live_robot_js, live_robot_js_end},
    {"/shapes.js", "text/javascript; charset=utf-8", live_shapes_js, live_shapes_js_end},
    {"/rigid.js", "text/javascript; charset=utf-8", live_rigid_js, live_rigid_js_end},
    {"/view.js", "text/javascript; charset=utf-8", live_view_js, live_view_js_end},
    {"/scene.js", "text/javascript; charset=utf-8", live_scene_js, live_scene_js_end},
    {"/panels.js", "text/javascript; charset=utf-8", live_panels_js, live_panels_js_end},
    {"/charts.js", "text/javascript; charset=utf-8", live_charts_js, live_charts_js_end},
};
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
