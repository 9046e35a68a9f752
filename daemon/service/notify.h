/* What systemd is told. Without systemd (no NOTIFY_SOCKET) every call does nothing. */
#ifndef NOTIFY_H
#define NOTIFY_H

#include <stdint.h>

/* Everything runs: READY=1. [main] */
void notify_ready(void);

/* A reload begins: RELOADING=1 with the time, ended by notify_ready. [main] */
void notify_reloading(int64_t now_ns);

/* The service ends by its own will. [main] */
void notify_stopping(void);

/* All threads are alive. [main] */
void notify_alive(void);

/* One line for `systemctl status`. [main] */
__attribute__((format(printf, 1, 2))) void notify_status(const char *format, ...);

/* How often notify_alive must be called at least, ns, a third of WatchdogSec; 0 when nobody
 * watches. [start] */
int64_t notify_interval_ns(void);

#endif
