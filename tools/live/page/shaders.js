// What the graphics processor is told, for each kind of thing that is drawn (view.js).

// what moves with a link: its pose is three rows of all
export const RIGID_VERTEX = `#version 300 es
layout(location = 0) in vec3 at;
layout(location = 1) in vec3 normal;
layout(location = 2) in float link;
layout(location = 3) in vec4 tint;
uniform mat4 projection;
layout(std140) uniform poses { vec4 row[ROWS]; };
uniform vec3 light, eye;
uniform bool shadow;
uniform float dot_; // of a dot, pixels at 1 m; 0: triangles are drawn
out vec3 world, across;
out vec4 colour;
void main() {
  vec4 row0 = row[3 * int(link)], row1 = row[3 * int(link) + 1], row2 = row[3 * int(link) + 2];
  vec4 local = vec4(at, 1.0);
  world = vec3(dot(row0, local), dot(row1, local), dot(row2, local));
  across = vec3(dot(row0.xyz, normal), dot(row1.xyz, normal), dot(row2.xyz, normal));
  colour = tint;
  if (shadow) world = vec3(world.xy - light.xy / light.z * world.z, 0.0015);
  gl_Position = projection * vec4(world, 1.0);
  if (dot_ > 0.0) {
    gl_PointSize = max(dot_ / gl_Position.w, 1.0);
    if (dot(across, eye - world) < 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0); // seen from behind: not at all
  }
}`;

// what is put anew into each picture: few
export const SOLID_VERTEX = `#version 300 es
layout(location = 0) in vec3 core;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 row0;
layout(location = 3) in vec4 row1;
layout(location = 4) in vec4 row2;
layout(location = 5) in vec4 size;
layout(location = 6) in vec4 tint;
uniform mat4 projection;
uniform vec3 light;
uniform bool shadow;
out vec3 world, across;
out vec4 colour;
void main() {
  vec4 local = vec4(core * (size.xyz - size.w) + normal * size.w, 1.0);
  world = vec3(dot(row0, local), dot(row1, local), dot(row2, local));
  across = vec3(dot(row0.xyz, normal), dot(row1.xyz, normal), dot(row2.xyz, normal));
  colour = tint;
  if (shadow) world = vec3(world.xy - light.xy / light.z * world.z, 0.0015);
  gl_Position = projection * vec4(world, 1.0);
}`;

export const SOLID_FRAGMENT = `#version 300 es
precision highp float;
in vec3 world, across;
in vec4 colour;
uniform vec3 light, eye;
uniform bool shadow;
uniform float glow, alpha;
out vec4 seen;
void main() {
  if (shadow) {
    seen = vec4(0.0, 0.0, 0.0, 0.42);
    return;
  }
  vec3 n = normalize(across), l = normalize(light), v = normalize(eye - world);
  vec3 base = colour.rgb * colour.rgb;
  vec3 sky = mix(vec3(0.07, 0.08, 0.10), vec3(0.30, 0.35, 0.42), 0.5 + 0.5 * n.z);
  float key = max(dot(n, l), 0.0), back = max(dot(n, normalize(vec3(-0.6, 0.7, 0.25))), 0.0);
  float shine = pow(max(dot(n, normalize(l + v)), 0.0), 48.0) * 0.35;
  float rim = pow(1.0 - max(dot(n, v), 0.0), 3.0);
  vec3 lit = base * (sky + vec3(0.80, 0.76, 0.70) * key + vec3(0.12, 0.17, 0.25) * back) + shine * key + rim * vec3(0.05, 0.09, 0.12);
  lit = mix(lit, base * (0.75 + 0.25 * key + 0.5 * rim), glow);
  seen = vec4(sqrt(lit), colour.a * alpha);
}`;

export const FLOOR_VERTEX = `#version 300 es
uniform mat4 projection;
uniform vec3 middle;
out vec3 world;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  world = vec3(middle.xy + 9.0 * corner, 0.0);
  gl_Position = projection * vec4(world, 1.0);
}`;

export const FLOOR_FRAGMENT = `#version 300 es
precision highp float;
in vec3 world;
uniform vec3 middle, dark;
out vec4 seen;
float lines(float step, float width) {
  vec2 at = world.xy / step, wide = fwidth(at);
  vec2 near = abs(fract(at - 0.5) - 0.5) / max(wide, 1e-5);
  return (1.0 - min(min(near.x, near.y) / width, 1.0)) * (1.0 - smoothstep(0.2, 0.6, max(wide.x, wide.y)));
}
void main() {
  float far = length(world.xy - middle.xy);
  float fade = exp(-far * far / 14.0);
  vec3 floor_ = dark + fade * vec3(0.028, 0.036, 0.046);
  floor_ += fade * 0.10 * lines(0.5, 1.2) * vec3(0.7, 0.9, 1.0);
  if (FINE) floor_ += fade * 0.045 * lines(0.1, 1.0) * vec3(0.7, 0.9, 1.0);
  seen = vec4(floor_, 1.0);
}`;

export const FLAT_VERTEX = `#version 300 es
layout(location = 0) in vec3 at;
layout(location = 1) in vec4 tint;
uniform mat4 projection;
out vec4 colour;
void main() {
  colour = tint;
  gl_Position = projection * vec4(at, 1.0);
}`;

export const FLAT_FRAGMENT = `#version 300 es
precision mediump float;
in vec4 colour;
out vec4 seen;
void main() { seen = colour; }`;
