/* Where the publisher serves: a Unix socket for this machine, TCP for tools and, with keys, for
 * others. */
#ifndef ENDPOINTS_H
#define ENDPOINTS_H

#include "common/message.h"
#include "common/pid_lock.h"
#include "common/status.h"
#include "publish/curve.h"
#include "publish/publisher.h"

#include <stdbool.h>

/* True for ADDRESS:PORT with a port up to 65535. [any] */
bool tcp_is_address(const char *address);

/* True for 127.0.0.0/8, ::1 and localhost, written ADDRESS:PORT with IPv6 addresses in brackets.
 * [any] */
bool tcp_is_loopback(const char *address);

/* Binds `socket` to the Unix socket of the settings, mode 0660, and takes the claim on it. [start]
 * Other threads must not create files meanwhile (umask). REFUSED with `error` set; `claim` is then
 * IPC_CLAIM_NONE. */
enum status endpoint_bind_ipc(void *socket, const char *path, struct pid_lock *claim,
                              struct message *error);

/* Binds `socket` to TCP. With `keys` only clients that the gate admits get in; without, only
 * loopback is accepted. [start] Options set here hold for this endpoint alone, so bind it last.
 * REFUSED with `error` set. */
enum status endpoint_bind_tcp(void *socket, const char *address, const struct curve_keys *keys,
                              struct message *error);

/* Removes the socket and gives the right back; nothing for a claim that is not held. [start] */
void ipc_release(const char *path, struct pid_lock *claim);

#endif
