/* Inertial parameters as others write them. All functions: [any].
 *
 * Four lists of ten numbers are about the origin of the link frame, like ours, and differ in their
 * order only; URDF and MuJoCo describe the body at its centre of mass. */
#ifndef INERTIA_ORDERS_H
#define INERTIA_ORDERS_H

#include "common/status.h"
#include "inertia/inertia.h"

enum inertia_order {
  INERTIA_ORDER_OURS,      /* m hx hy hz Ixx Ixy Ixz Iyy Iyz Izz: also iDynTree, Foster, Leboutet */
  INERTIA_ORDER_PINOCCHIO, /* m hx hy hz Ixx Ixy Iyy Ixz Iyz Izz: toDynamicParameters */
  INERTIA_ORDER_KHALIL,    /* Ixx Ixy Ixz Iyy Iyz Izz hx hy hz m: OpenSYMORO, BIRDy, FIGAROH */
  INERTIA_ORDER_SPATIAL_V2 /* m hx hy hz Ixx Iyy Izz Iyz Ixz Ixy: Wensing's spatial_v2_extended */
};

struct inertia inertia_from_order(enum inertia_order order,
                                  const double parameters[INERTIA_PARAMETERS]);
void inertia_to_order(enum inertia_order order, const struct inertia *pi,
                      double out[INERTIA_PARAMETERS]);

/* URDF's <inertial>: pose of its frame (centre of mass, axes) in the link frame, kg, and the tensor
 * about the centre of mass in that frame. */
struct inertia inertia_from_urdf(double mass, const struct pose *X_LI, const mat3 *I_I);
/* As it is written back: axes parallel to the link's. `c` m, `I_C` kg m^2. pi->m must not be 0. */
void inertia_to_urdf(const struct inertia *pi, double *mass, vec3 *c, mat3 *I_C);

/* MuJoCo's body_mass, body_ipos, body_iquat (principal axes in the body frame; scalar last here)
 * and body_inertia. */
struct inertia inertia_from_mujoco(double mass, vec3 ipos, quat iquat, vec3 principal);
/* Principal moments in descending order, axes right-handed. STATUS_NOT_FINITE, or
 * STATUS_NOT_CONSISTENT without positive mass; outputs are then untouched. */
enum status inertia_to_mujoco(const struct inertia *pi, double *mass, vec3 *ipos, quat *iquat,
                              vec3 *principal);

#endif
