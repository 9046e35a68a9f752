/* One line of text that says what was wrong: place, name, value, limit. For errors outside the
 * cycle. */
#ifndef MESSAGE_H
#define MESSAGE_H

#define MESSAGE_SIZE 512

struct message {
  char text[MESSAGE_SIZE];
};

/* Formats into `message`, cut to its size; NULL is allowed and ignored. [start] [worker] */
__attribute__((format(printf, 2, 3))) void message_set(struct message *message, const char *format,
                                                       ...);

#endif
