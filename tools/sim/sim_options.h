/* What a simulation is asked for: robot, scenario, rates, and how bad its sensors are.
 *
 * Start from `sim_defaults` and change what matters. Everything random comes from `seed`; the same
 * options give the same numbers, bit for bit. */
#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H

#include "common/message.h"
#include "common/status.h"
#include "robot/robot.h"

#include "propriod/shm_layout.h"

#include <stdint.h>

/* When a stream samples and when its samples arrive. */
struct sim_stream_options {
  double rate_hz;       /* samples a second; 0: the stream does not exist */
  double latency_s;     /* from sampling to arrival, at least 0 */
  double jitter_s;      /* added to the latency, uniform in [0, jitter_s]; order is kept */
  double loss;          /* probability in [0, 1) that a sample never arrives */
  double stamp_error_s; /* added to every stamp: the driver is wrong about when it sampled */
  double measured_hz;   /* what is read measures only so often and is repeated in between, cells of
                           skin in turn; 0: it measures whenever it is read */
  bool arrival_stamps;  /* stamps are the instants of arrival: the driver knows no better */
};

struct sim_joint_noise {
  double white;            /* rad or m, one standard deviation */
  double quantum;          /* rad or m, step of the encoder; 0: none */
  bool has_velocity;       /* the stream has velocities */
  double velocity_white;   /* rad/s or m/s */
  bool has_effort;         /* the stream has torques */
  double effort_white;     /* N m or N */
  double effort_gain;      /* relative gain error, one standard deviation, constant per joint */
  double effort_coloured;  /* N m or N, deviation of a slow error: white through a low-pass */
  double effort_corner_hz; /* corner of that low-pass */
  double effort_quantum;   /* N m or N, step of the converter; 0: none */
  double zero;             /* rad or m, error of each encoder's zero, one standard deviation */
  double flex;     /* rad or m: the encoder sits at the motor and turns ahead of the link by this
                          at the joint's largest effort (none where the URDF has no limit) */
  double backlash; /* rad or m, play between motor and link */
  double ripple;   /* rad or m, amplitude of the gear's kinematic error, in step with q */
  double ripple_waves; /* of it in a turn of the joint, or a metre */
};

struct sim_imu_noise {
  double force_white, force_bias; /* m/s^2: per sample; constant, one standard deviation per axis */
  double rate_white, rate_bias;   /* rad/s */
  double force_quantum;           /* m/s^2, step of the accelerometer's converter; 0: none */
  double rate_quantum;            /* rad/s, and of the gyroscope's */
  vec3 force_offset,
      rate_offset;  /* m/s^2, rad/s: exactly this, on top of what is drawn; IMU frame */
  vec3 place, turn; /* m, rotation vector in rad: the IMU sits so far off the frame that the robot's
                       description gives it; coordinates of that frame */
  double force_gain, rate_gain; /* relative, constant, one standard deviation per axis */
  double cross;      /* rad, one standard deviation: how far each axis of both leans towards each
                        other one */
  double rate_per_g; /* rad/s, one standard deviation: what 9.81 m/s^2 along each axis adds to each
                        axis of the gyroscope */
  double force_walk, rate_walk; /* m/s^2, rad/s: by how much the biases wander in ten minutes, one
                                   standard deviation per axis of a random walk */
  double filter_s;              /* s, group delay of the low-pass filter inside, which stamps do not
                                   tell; 0: none */
  bool has_orientation;
  double orientation_white; /* rad, about each axis */
};

/* How the structure shakes, each link by itself: what its IMUs and cells feel beside its motion.
 * The truth is without it. */
struct sim_vibration {
  double force, rate; /* m/s^2, rad/s: root mean square per axis, lasting, in narrow bands between
                         40 and 300 Hz as motors and gears make it */
  double strike_force, strike_rate; /* m/s^2, rad/s: amplitude, along an axis of each link, with
                                       which it rings (20 to 80 Hz, damped) after the ground's
                                       force has changed by the robot's weight at once */
};

#define SIM_LINK_DELAY_MAX 0.02 /* s */

struct sim_skin_noise {
  double white;       /* m/s^2 */
  double bias;        /* m/s^2, constant, one standard deviation per axis */
  double scale;       /* relative, constant, one standard deviation per axis */
  double orientation; /* rad, constant, rotation vector's standard deviation per axis */
  double gain;        /* relative, the same on every cell */
  double link_gain;   /* relative, one standard deviation, the same on all cells of a link */
  double link_tilt;   /* rad, standard deviation per axis: all cells of a link turned together */
  double link_delay;  /* s, at most SIM_LINK_DELAY_MAX: each link's cells sampled that much before
                         the stamp, uniform in [0, link_delay] */
  double filter_s; /* s, group delay of the low-pass filter in each cell, which stamps do not tell;
                         0: none, and vibration is sampled as it is */
  double saturation; /* m/s^2, largest reading; 0: none */
  double quantum;    /* m/s^2, step of the converter; 0: none */
  double dead;       /* fraction of cells that read (-1, -1, -1) for ever and claim to be valid */
  double stuck;      /* fraction of cells that repeat their first reading for ever */
  double drop;       /* probability per cell and sample that CELL_VALID is off */
  double touch_rate_hz; /* touches a second, each on a cell and its neighbours for 0.3 s, announced
                           by proximity 0.1 s before; readings are disturbed while touched */
  bool has_proximity, has_force;
};

struct sim_wrench_noise {
  double force_white, force_bias;   /* N */
  double moment_white, moment_bias; /* N m */
  double force_drift;               /* N/s, growth of the vertical force's offset */
  double force_quantum;             /* N, step of the converter; 0: none */
  double moment_quantum;            /* N m */
  double gain;                      /* relative, constant, one standard deviation per component */
  double crosstalk; /* share of each force that every other component gets, one standard deviation;
                       moments with an arm of SIM_CROSSTALK_ARM */
};
#define SIM_CROSSTALK_ARM 0.05 /* m */

/* How the simulated body differs from the robot that the daemon is told: drawn once from the seed,
 * one standard deviation each. */
struct sim_body_error {
  double length;   /* m, per axis, of each joint's place on its parent link */
  double tilt;     /* rad, per axis, of each joint's frame */
  double mass;     /* relative, of each link, inertia with it */
  double com;      /* m, per axis, of each link's centre of mass */
  double friction; /* relative, of each joint's friction */
};

/* The ground. Zeros: level, flat, as hard as the scenario has it, without rebound, friction 1. */
struct sim_ground {
  double time_s;  /* s, time constant with which it gives way: 0.006 hard, 0.015 soft, 0.04 a mat */
  double damping; /* ratio: below 1 the feet rebound, at 0.1 they chatter */
  double friction; /* coefficient of dry friction */
  double uneven;   /* m: each foothold is higher or lower by up to this (walks only) */
  double slope;    /* rad: each foothold is tilted by up to this about both axes (walks only) */
  double climb;    /* rad: it rises ahead from the eighth foothold on (walks only) */
  double ramp;     /* rad: all of it rises ahead */
};

/* How it walks. Length and times that are 0 are chosen by the leg's length, and varied by up to a
 * tenth with the seed. */
struct sim_walk_options {
  double step_length;  /* m, forward per step; below 0 backwards */
  double step_side;    /* m, to the left per step */
  double step_turn;    /* rad, to the left per step */
  double step_time;    /* s, one single support */
  double double_time;  /* s, one double support */
  double step_height;  /* m, clearance of the swing foot */
  double strike_speed; /* m/s, downward speed with which the swing foot meets the ground: 0 for soft
                          strikes (1.2 times the weight at most), 0.1 for hard ones (1.8 times, on
                          hard ground), 0.3 for blows (4 times) */
  double scatter;      /* m, each foothold lies off its place by up to this, forward and outward */
  int steps;           /* steps before it stops and stands; 0: walks until the end */
};

enum sim_waveform { SIM_CONSTANT, SIM_SINE, SIM_SQUARE };

/* Something carried: a homogeneous box whose mass may vary with time, as in Foster 24, V. */
struct sim_payload {
  const char *link;           /* name of a link or frame; NULL: none (scenario payload chooses
                                 the trunk, curl the left forearm) */
  double mass;                /* kg, mean */
  double amplitude;           /* kg, of the waveform, at most `mass` */
  enum sim_waveform waveform; /* how the mass varies about its mean */
  double rate_hz;             /* of the waveform */
  vec3 com;                   /* m, in that link's or frame's frame */
  vec3 size;                  /* m, edges of the box */
  double attach_s, release_s; /* s from the start; release_s 0: never */
  const char *handed_to;      /* link or frame that carries it from release_s on; NULL: nobody */
};

struct sim_push {
  vec3 force_W;      /* N, half-sine of this peak; impulse = force * duration * 2/pi */
  double start_s;    /* s */
  double duration_s; /* s */
  vec3 point_B;      /* m, where it acts, base coordinates */
};

struct sim_options {
  const struct robot *robot; /* as the daemon is told; must outlive the simulation */
  const char *urdf_path;     /* the robot's file, read once more for its <collision> shapes; a foot
                                without any gets a box, another link a ball of its mass. NULL:
                                only with a held base */
  const char *scenario;      /* its word */
  uint64_t seed;
  double duration_s;         /* s; 0: the scenario's own */
  double frame_rate_hz;      /* of sim_step; 4000, 2000, 1000, 200, 100 */
  double integration_step_s; /* s, at most 1 ms; the sensors' period is a multiple of it, or is
                              * taken in its place; 0: 0.5 ms, or finer for light feet */
  double rest_s;             /* s at rest before anything moves */
  double amplitude;          /* scales the amplitude of the scenario's motion, 1 = its own */
  int64_t t0_ns;             /* instant given to the scenario's start in stamps */
  struct sim_stream_options stream[PROPRIOD_SHM_STREAMS];
  struct sim_joint_noise joints;
  struct sim_imu_noise imu;
  struct sim_skin_noise skin;
  struct sim_wrench_noise wrench;
  struct sim_vibration vibration;
  struct sim_body_error body;
  struct sim_ground ground;
  struct sim_walk_options walk;
  struct sim_payload payload;
  struct sim_push push;
};

/* The options of a healthy robot with good sensors: encoders of 19 bits, a good IMU at 1 kHz, skin
 * at 250 Hz with 0.05 m/s^2 of noise and 2 ms of latency. [start] */
struct sim_options sim_defaults(const struct robot *robot, const char *urdf_path,
                                const char *scenario);

/* s: between two instants at which sensors are read, 1 ms or a shorter frame's period. [any] */
double sim_sensor_period(const struct sim_options *options);

/* Turns every imperfection of the sensors and of the body's description off; rates and ground stay.
 * [start] */
void sim_make_ideal(struct sim_options *options);

/* Whether every option lies within its limits. [start] STATUS_BAD_ARGUMENT with a message that
 * names option, value and limit. */
enum status sim_options_check(const struct sim_options *options, struct message *error);

/* The word of scenario number `i`, as the command line has it; NULL beyond the last. [any] */
const char *sim_scenario_at(size_t i);

/* What it does in one line, and whether the base is held; NULL and false for an unknown word.
 * [any] */
const char *sim_scenario_help(const char *name);
bool sim_scenario_holds_base(const char *name);

#endif
