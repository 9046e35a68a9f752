#include "math/spatial.h"

mat3 mat3_from_axis_angle(vec3 axis, double angle) {
  const double s = sin(angle), c = cos(angle), k = 1.0 - c;
  return (mat3){{{c + k * axis.x * axis.x, k * axis.x * axis.y - s * axis.z,
                  k * axis.x * axis.z + s * axis.y},
                 {k * axis.x * axis.y + s * axis.z, c + k * axis.y * axis.y,
                  k * axis.y * axis.z - s * axis.x},
                 {k * axis.x * axis.z - s * axis.y, k * axis.y * axis.z + s * axis.x,
                  c + k * axis.z * axis.z}}};
}

mat3 mat3_from_rpy(vec3 rpy) {
  const double cr = cos(rpy.x), sr = sin(rpy.x), cp = cos(rpy.y), sp = sin(rpy.y), cy = cos(rpy.z),
               sy = sin(rpy.z);
  return (mat3){{{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
                 {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
                 {-sp, cp * sr, cp * cr}}};
}

vec3 mat3_to_rpy(const mat3 *R) {
  const double cos_pitch = hypot(R->m[0][0], R->m[1][0]);
  const double pitch = atan2(-R->m[2][0], cos_pitch);
  if (cos_pitch < 1e-9) { /* gimbal lock: roll and yaw turn about one axis, give it all to yaw */
    return (vec3){0.0, pitch, atan2(-R->m[0][1], R->m[1][1])};
  }
  return (vec3){atan2(R->m[2][1], R->m[2][2]), pitch, atan2(R->m[1][0], R->m[0][0])};
}

mat3 mat3_from_quat(quat q) {
  q = quat_normalized(q);
  return (mat3){{{1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y - q.w * q.z),
                  2.0 * (q.x * q.z + q.w * q.y)},
                 {2.0 * (q.x * q.y + q.w * q.z), 1.0 - 2.0 * (q.x * q.x + q.z * q.z),
                  2.0 * (q.y * q.z - q.w * q.x)},
                 {2.0 * (q.x * q.z - q.w * q.y), 2.0 * (q.y * q.z + q.w * q.x),
                  1.0 - 2.0 * (q.x * q.x + q.y * q.y)}}};
}

quat quat_from_mat3(const mat3 *R) {
  const double trace = R->m[0][0] + R->m[1][1] + R->m[2][2];
  quat q;
  /* Shepperd: divide by the largest of the four components */
  if (trace >= R->m[0][0] && trace >= R->m[1][1] && trace >= R->m[2][2]) {
    q = (quat){R->m[2][1] - R->m[1][2], R->m[0][2] - R->m[2][0], R->m[1][0] - R->m[0][1],
               1.0 + trace};
  } else if (R->m[0][0] >= R->m[1][1] && R->m[0][0] >= R->m[2][2]) {
    q = (quat){1.0 + 2.0 * R->m[0][0] - trace, R->m[0][1] + R->m[1][0], R->m[0][2] + R->m[2][0],
               R->m[2][1] - R->m[1][2]};
  } else if (R->m[1][1] >= R->m[2][2]) {
    q = (quat){R->m[0][1] + R->m[1][0], 1.0 + 2.0 * R->m[1][1] - trace, R->m[1][2] + R->m[2][1],
               R->m[0][2] - R->m[2][0]};
  } else {
    q = (quat){R->m[0][2] + R->m[2][0], R->m[1][2] + R->m[2][1], 1.0 + 2.0 * R->m[2][2] - trace,
               R->m[1][0] - R->m[0][1]};
  }
  q = quat_normalized(q);
  return q.w < 0.0 ? (quat){-q.x, -q.y, -q.z, -q.w} : q;
}

quat quat_mul(quat a, quat b) {
  return (quat){
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

quat quat_normalized(quat q) {
  const double n = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return (quat){q.x / n, q.y / n, q.z / n, q.w / n};
}

quat quat_from_rotation_vector(vec3 phi) {
  const double angle = vec3_norm(phi);
  /* sin(a/2)/a by its series where the quotient loses digits */
  const double k = angle < 1e-4 ? 0.5 - angle * angle / 48.0 : sin(0.5 * angle) / angle;
  return (quat){k * phi.x, k * phi.y, k * phi.z, cos(0.5 * angle)};
}

vec3 quat_to_rotation_vector(quat q) {
  if (q.w < 0.0) {
    q = (quat){-q.x, -q.y, -q.z, -q.w};
  }
  const vec3 v = {q.x, q.y, q.z};
  const double s = vec3_norm(v);
  const double k = s < 1e-8 ? 2.0 / q.w : 2.0 * atan2(s, q.w) / s;
  return vec3_scale(k, v);
}
