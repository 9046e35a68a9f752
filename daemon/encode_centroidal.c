#include "encode_centroidal.h"

#define FROM(member) offsetof(struct centroidal_estimate, member)

static const struct field rows[] = {
    {"mass", FIELD_REAL, "kg", "", FROM(mass), CENTROIDAL_MASS, "mass of the whole robot"},
    {"com_in_base", FIELD_VEC3, "m", "base_link", FROM(com_B), CENTROIDAL_COM_B,
     "centre of mass from the origin of base_link"},
    {"com_position", FIELD_VEC3, "m", "world", FROM(com_W), CENTROIDAL_COM_W, "centre of mass"},
    {"com_velocity", FIELD_VEC3, "m/s", "world", FROM(com_velocity_W), CENTROIDAL_COM_VELOCITY,
     "velocity of the centre of mass"},
    {"com_acceleration", FIELD_VEC3, "m/s^2", "world", FROM(com_acceleration_W), CENTROIDAL_COM_ACC,
     "acceleration of the centre of mass, gravity removed: zero at rest"},
    {"angular_momentum", FIELD_VEC3, "kg m^2/s", "world", FROM(angular_momentum_W),
     CENTROIDAL_MOMENTUM, "angular momentum about the centre of mass"},
    {"angular_momentum_rate", FIELD_VEC3, "N m", "world", FROM(angular_momentum_rate_W),
     CENTROIDAL_MOMENTUM_RATE, "rate of the angular momentum about the centre of mass"},
    {"cop_position", FIELD_VEC3, "m", "world", FROM(cop_W), CENTROIDAL_COP, "centre of pressure"},
    {"cop_sd", FIELD_VEC3, "m", "world", FROM(cop_sd_W), CENTROIDAL_COP,
     "one standard deviation of cop_position along x and y; larger while a foot strikes"},
    {"dcm_position", FIELD_VEC3, "m", "world", FROM(dcm_W), CENTROIDAL_DCM,
     "divergent component of motion; on the ground it is the capture point"},
    {"com_from_support", FIELD_VEC3, "m", "world", FROM(com_support), CENTROIDAL_SUPPORT,
     "centre of mass from the sole of the support foot, world axes"},
    {"contact_force", FIELD_VEC3, "N", "world", FROM(contact_force_W), CENTROIDAL_WRENCH,
     "force of the ground and everything else that touches the robot"},
    {"support_phase", FIELD_COUNT32, "", "", FROM(phase), CENTROIDAL_SUPPORT,
     "0: nothing carries the robot, 1: one foot, 2: two or more, 3: a foot has just come down"},
    {"support_foot", FIELD_COUNT32, "", "", FROM(support_foot), CENTROIDAL_SUPPORT,
     "index in `feet` of the foot that carries most"},
    {"support_share", FIELD_FEET, "", "", FROM(share), CENTROIDAL_SUPPORT,
     "share of the weight on each foot"},
    {"support_slips", FIELD_COUNT32, "", "", FROM(slips), CENTROIDAL_SUPPORT,
     "1 while a foot that stands is moving"},
    {"five_mass_com", FIELD_VEC3, "m", "world", FROM(five_com_W), CENTROIDAL_FIVE_MASS,
     "centre of the five masses"},
    {"five_mass_acceleration", FIELD_VEC3, "m/s^2", "world", FROM(five_acceleration_W),
     CENTROIDAL_FIVE_MASS, "acceleration of five_mass_com, gravity removed"},
    {"five_mass_angular_momentum", FIELD_VEC3, "kg m^2/s", "world", FROM(five_momentum_W),
     CENTROIDAL_FIVE_MASS,
     "of five masses with own inertias; angular_momentum, of all bodies, is the true one"},
    {"inertia_orientation", FIELD_QUAT, "", "world", FROM(inertia_orientation), CENTROIDAL_POSTURE,
     "axes of the five masses: an angle of posture, not the integral of angular momentum"},
    {"inertia_angles", FIELD_VEC3, "rad", "world", FROM(inertia_angles), CENTROIDAL_POSTURE,
     "roll, pitch and yaw of inertia_orientation, filtered; yaw does not wrap"},
    {"inertia_rate", FIELD_VEC3, "rad/s", "world", FROM(inertia_rate), CENTROIDAL_POSTURE,
     "rates of inertia_angles"},
    {"inertia_acceleration", FIELD_VEC3, "rad/s^2", "world", FROM(inertia_acceleration),
     CENTROIDAL_POSTURE, "accelerations of inertia_angles"},
    {"inertia_moments", FIELD_VEC3, "kg m^2", "", FROM(inertia_moments), CENTROIDAL_POSTURE,
     "moments of inertia about the axes of inertia_orientation"},
};

const struct field_table centroidal_fields = {"centroidal", rows, sizeof(rows) / sizeof(rows[0])};

void encode_centroidal(struct wire *wire, const struct centroidal_estimate *centroidal,
                       int64_t epoch_ns) {
  const struct stamp stamp = {centroidal->seq, centroidal->t_ns, epoch_ns, centroidal->status};
  fields_begin(wire, &stamp, fields_pairs(&centroidal_fields, centroidal->estimated));
  fields_encode(wire, &centroidal_fields, centroidal, centroidal->estimated, centroidal->n_feet);
}
