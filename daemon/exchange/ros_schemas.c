#include "exchange/ros_schemas.h"

#include <stddef.h>
#include <string.h>

#define NEXT    "================================================================================\n"
#define TIME    NEXT "MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n"
#define HEADER  NEXT "MSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n" TIME
#define VECTOR3 NEXT "MSG: geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z\n"
#define POINT   NEXT "MSG: geometry_msgs/Point\nfloat64 x\nfloat64 y\nfloat64 z\n"
#define QUATERNION                                                                                 \
  NEXT "MSG: geometry_msgs/Quaternion\nfloat64 x\nfloat64 y\nfloat64 z\nfloat64 w\n"

static const struct {
  const char *name, *text;
} schemas[] = {
    {"sensor_msgs/msg/JointState", "std_msgs/Header header\nstring[] name\nfloat64[] position\n"
                                   "float64[] velocity\nfloat64[] effort\n" HEADER},
    {"sensor_msgs/msg/Imu",
     "std_msgs/Header header\ngeometry_msgs/Quaternion orientation\n"
     "float64[9] orientation_covariance\ngeometry_msgs/Vector3 angular_velocity\n"
     "float64[9] angular_velocity_covariance\ngeometry_msgs/Vector3 linear_acceleration\n"
     "float64[9] linear_acceleration_covariance\n" HEADER QUATERNION VECTOR3},
    {"geometry_msgs/msg/WrenchStamped",
     "std_msgs/Header header\ngeometry_msgs/Wrench wrench\n" HEADER NEXT
     "MSG: geometry_msgs/Wrench\ngeometry_msgs/Vector3 force\ngeometry_msgs/Vector3 "
     "torque\n" VECTOR3},
    {"geometry_msgs/msg/PointStamped",
     "std_msgs/Header header\ngeometry_msgs/Point point\n" HEADER POINT},
    {"nav_msgs/msg/Odometry",
     "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/PoseWithCovariance pose\n"
     "geometry_msgs/TwistWithCovariance twist\n" HEADER NEXT
     "MSG: geometry_msgs/PoseWithCovariance\ngeometry_msgs/Pose pose\nfloat64[36] covariance\n" NEXT
     "MSG: geometry_msgs/TwistWithCovariance\ngeometry_msgs/Twist twist\n"
     "float64[36] covariance\n" NEXT "MSG: geometry_msgs/Pose\ngeometry_msgs/Point position\n"
     "geometry_msgs/Quaternion orientation\n" NEXT
     "MSG: geometry_msgs/Twist\ngeometry_msgs/Vector3 linear\n"
     "geometry_msgs/Vector3 angular\n" POINT QUATERNION VECTOR3},
    {"tf2_msgs/msg/TFMessage", "geometry_msgs/TransformStamped[] transforms\n" NEXT
                               "MSG: geometry_msgs/TransformStamped\nstd_msgs/Header header\n"
                               "string child_frame_id\ngeometry_msgs/Transform transform\n" NEXT
                               "MSG: geometry_msgs/Transform\ngeometry_msgs/Vector3 translation\n"
                               "geometry_msgs/Quaternion rotation\n" HEADER QUATERNION VECTOR3},
    {"std_msgs/msg/String", "string data\n"},
    {"rcl_interfaces/msg/Log",
     "byte DEBUG=10\nbyte INFO=20\nbyte WARN=30\nbyte ERROR=40\nbyte FATAL=50\n"
     "builtin_interfaces/Time stamp\nuint8 level\nstring name\nstring msg\nstring file\n"
     "string function\nuint32 line\n" TIME},
};

const char *ros_schema(const char *name) {
  for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
    if (strcmp(schemas[i].name, name) == 0) {
      return schemas[i].text;
    }
  }
  return NULL;
}
