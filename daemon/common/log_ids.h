/* The number by which the journal knows what a line is about: its catalog
 * (systemd/propriod.catalog) explains it, `journalctl MESSAGE_ID=...` finds all of them. */
#ifndef LOG_IDS_H
#define LOG_IDS_H

/* 32 hexadecimal digits for a cause of log_line, or NULL: it has none. [any] */
const char *log_id(const char *cause);

#endif
