#include "body/frames.h"

enum status frame_motion(const struct kinematics *kin, size_t link, const struct pose *placement,
                         struct frame_motion *out) {
  if (kin->order != KINEMATICS_ACCELERATION || link >= kin->model->n_links) {
    return STATUS_BAD_ARGUMENT;
  }
  const struct motion v = kinematics_v_B(kin, link), a = kinematics_a_B(kin, link);
  const vec3 r = mat3_mul_vec3(&kin->X_BL[link].R, placement->p);
  const vec3 w_x_r = vec3_cross(v.ang, r);
  out->X_BF = frame_pose(kin, link, placement);
  out->v_B = (struct motion){v.ang, vec3_add(v.lin, w_x_r)};
  out->a_B = (struct motion){
      a.ang, vec3_add(vec3_add(a.lin, vec3_cross(a.ang, r)), vec3_cross(v.ang, w_x_r))};
  const mat3 *R = &out->X_BF.R;
  out->v_F = (struct motion){mat3_tmul_vec3(R, out->v_B.ang), mat3_tmul_vec3(R, out->v_B.lin)};
  out->a_F = (struct motion){mat3_tmul_vec3(R, out->a_B.ang), mat3_tmul_vec3(R, out->a_B.lin)};
  return STATUS_OK;
}
