#!/bin/bash
# The ROS 2 node of the examples: its messages without ROS, and what it says where there is none.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/system/folder.sh
export PYTHONPATH=$build/python PYTHONDONTWRITEBYTECODE=1
/usr/bin/python3 tests/system/ros2_node_check.py || bad=1
if /usr/bin/python3 -c 'import rclpy' 2>/dev/null; then
  echo 'skip without_ros_it_says_so: ROS is here'
else
  ! /usr/bin/python3 tools/examples/ros2_node.py >"$to/log" 2>&1 && grep -q "rclpy.*is ROS 2 set up" "$to/log"
  result without_ros_it_says_so $?
fi
exit $bad
