#include "exchange/import.h"
#include "exchange/ros_reader.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

/* The topic's number: the given one, or the first of this type; -1: there is none. */
static int topic_id(sqlite3 *bag, const char *type, const char *given) {
  sqlite3_stmt *ask = NULL;
  int id = -1;
  const char *text = "SELECT id FROM topics WHERE type = ?1 AND (?2 IS NULL OR name = ?2) "
                     "ORDER BY id LIMIT 1";
  if (sqlite3_prepare_v2(bag, text, -1, &ask, NULL) == SQLITE_OK) {
    sqlite3_bind_text(ask, 1, type, -1, SQLITE_STATIC);
    if (given != NULL) {
      sqlite3_bind_text(ask, 2, given, -1, SQLITE_STATIC);
    }
    id = sqlite3_step(ask) == SQLITE_ROW ? sqlite3_column_int(ask, 0) : -1;
  }
  sqlite3_finalize(ask);
  return id;
}

static enum status read_topic(sqlite3 *bag, const char *path, int topic,
                              enum status (*read)(struct samples *, const void *, size_t),
                              struct samples *samples, struct message *error) {
  sqlite3_stmt *ask = NULL;
  int row = SQLITE_ERROR;
  uint64_t number = 0;
  if (sqlite3_prepare_v2(bag, "SELECT data FROM messages WHERE topic_id = ?1 ORDER BY id", -1, &ask,
                         NULL) == SQLITE_OK) {
    sqlite3_bind_int(ask, 1, topic);
    while ((row = sqlite3_step(ask)) == SQLITE_ROW) {
      const enum status status =
          read(samples, sqlite3_column_blob(ask, 0), (size_t)sqlite3_column_bytes(ask, 0));
      number++;
      if (status != STATUS_OK) {
        message_set(error, "%s: message %llu of topic %d is cut or no CDR", path,
                    (unsigned long long)number, topic);
        sqlite3_finalize(ask);
        return status;
      }
    }
  }
  if (row != SQLITE_DONE) {
    message_set(error, "%s: %s", path, sqlite3_errmsg(bag));
  }
  sqlite3_finalize(ask);
  return row == SQLITE_DONE ? STATUS_OK : STATUS_REFUSED;
}

enum status import_rosbag(const char *path, const struct import_map *map, struct samples *samples,
                          struct message *error) {
  sqlite3 *bag = NULL;
  if (sqlite3_open_v2(path, &bag, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) {
    message_set(error, "%s: %s", path, sqlite3_errmsg(bag));
    sqlite3_close(bag);
    return STATUS_REFUSED;
  }
  const int joints = topic_id(bag, ROS_JOINT_STATE, map->joints);
  const int imu = topic_id(bag, ROS_IMU, map->imu);
  enum status status = STATUS_REFUSED;
  if (joints < 0 || (map->imu != NULL && imu < 0)) {
    message_set(error, "%s: no topic %s of type %s", path,
                joints < 0 ? (map->joints != NULL ? map->joints : "") : map->imu,
                joints < 0 ? ROS_JOINT_STATE : ROS_IMU);
  } else {
    status = read_topic(bag, path, joints, ros_read_joint_state, samples, error);
  }
  if (status == STATUS_OK && imu >= 0) {
    status = read_topic(bag, path, imu, ros_read_imu, samples, error);
  }
  sqlite3_close(bag);
  return status;
}
