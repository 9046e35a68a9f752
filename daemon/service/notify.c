#include "service/notify.h"

#include "common/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <systemd/sd-daemon.h>

void notify_ready(void) {
  sd_notify(0, "READY=1");
}

void notify_reloading(int64_t now_ns) {
  sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lld", (long long)(now_ns / NS_PER_US));
}

void notify_stopping(void) {
  sd_notify(0, "STOPPING=1");
}

void notify_alive(void) {
  sd_notify(0, "WATCHDOG=1");
}

void notify_status(const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  sd_notifyf(0, "STATUS=%s", text);
}

int64_t notify_interval_ns(void) {
  uint64_t limit_us = 0;
  return sd_watchdog_enabled(0, &limit_us) > 0 ? (int64_t)limit_us * NS_PER_US / 3 : 0;
}
