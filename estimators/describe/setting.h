/* What can be configured: one row per option, beside the struct that holds it.
 *
 * A new option needs a member in its module's settings, a default in its module's defaults, and a
 * row in its room:
 *
 *   #define SETTINGS_OF struct joint_filter_settings
 *   REAL("motion.gyro_noise", gyro_noise, "rad/s", 1e-6, 10, "White noise of the gyroscope.")
 *
 * Reading, messages, the printed listing and the reference page all come from that row. */
#ifndef SETTING_H
#define SETTING_H

#include <stddef.h>

enum setting_type {
  SETTING_BOOL,   /* bool */
  SETTING_INT,    /* int */
  SETTING_REAL,   /* double, finite */
  SETTING_TEXT,   /* char[size] */
  SETTING_PATH,   /* char[size]; relative to the folder of the file, unless one of `choices` */
  SETTING_CHOICE, /* enum of int size whose values count from 0 in the order of `choices` */
  SETTING_TEXTS,  /* char[capacity][size] and a size_t count */
  SETTING_REALS   /* double[capacity] and a size_t count */
};

/* When a changed value takes effect. */
enum setting_change {
  SETTING_RELOAD, /* at the next reload */
  SETTING_RESTART /* at the next start */
};

/* One row. What it holds lies in the struct of its rows (settings_table.c). */
struct setting {
  const char *key; /* "motion.encoder_noise" */
  enum setting_type type;
  const char *unit;     /* "rad", or "" */
  const char *variable; /* what holds the value, as the struct names it */
  size_t offset;        /* of it in that struct */
  size_t size;          /* bytes of a text with its final zero */
  size_t capacity;      /* lists: most elements */
  size_t count_offset;  /* lists: of the number of elements, a size_t */
  const char *fallback; /* the default as it would be written in the file, or NULL: as the module
                           itself has it, pipeline_defaults */
  double min, max;      /* of numbers, and of each number in a list; both are allowed */
  const char *const *choices; /* ends with NULL; NULL where there are none */
  enum setting_change change;
  const char *sentence; /* what it is, beginning with a capital letter, ending with a full stop */
};

/* The rows of one struct. Rows of one group (the words before the last dot of the key) stand
 * together. */
struct setting_rows {
  const struct setting *row;
  size_t count;
};
#define SETTING_ROWS(rows)                                                                         \
  { rows, sizeof(rows) / sizeof((rows)[0]) }

/* A place of the wrong type does not compile. SETTINGS_OF is the struct that the rows are of. */
#define SETTING_MEMBER(member)     (((SETTINGS_OF *)0)->member)
#define SETTING_IS(type, member)   _Generic(&SETTING_MEMBER(member), type * : 1)
#define SETTING_OFFSET(is, member) (offsetof(SETTINGS_OF, member) * (size_t)(is))

#define SETTING_BOOL(key_, member, fallback_, change_, sentence_)                                  \
  {                                                                                                \
    .key = key_, .variable = #member, .type = SETTING_BOOL, .unit = "",                            \
    .offset = SETTING_OFFSET(SETTING_IS(bool, member), member), .fallback = fallback_,             \
    .change = change_, .sentence = sentence_                                                       \
  }

#define SETTING_INT(key_, member, unit_, fallback_, min_, max_, change_, sentence_)                \
  {                                                                                                \
    .key = key_, .variable = #member, .type = SETTING_INT, .unit = unit_,                          \
    .offset = SETTING_OFFSET(SETTING_IS(int, member), member), .fallback = fallback_, .min = min_, \
    .max = max_, .change = change_, .sentence = sentence_                                          \
  }

#define SETTING_REAL(key_, member, unit_, fallback_, min_, max_, change_, sentence_)               \
  {                                                                                                \
    .key = key_, .variable = #member, .type = SETTING_REAL, .unit = unit_,                         \
    .offset = SETTING_OFFSET(SETTING_IS(double, member), member), .fallback = fallback_,           \
    .min = min_, .max = max_, .change = change_, .sentence = sentence_                             \
  }

#define SETTING_TEXT(key_, member, fallback_, change_, sentence_)                                  \
  {                                                                                                \
    .key = key_, .variable = #member, .type = SETTING_TEXT, .unit = "",                            \
    .size = sizeof(SETTING_MEMBER(member)),                                                        \
    .offset = SETTING_OFFSET(SETTING_IS(char, member[0]), member), .fallback = fallback_,          \
    .change = change_, .sentence = sentence_                                                       \
  }

/* `words`, or NULL, are values that are not paths. */
#define SETTING_PATH(key_, member, words_, fallback_, change_, sentence_)                          \
  {                                                                                                \
    .key = key_, .variable = #member, .type = SETTING_PATH, .unit = "",                            \
    .size = sizeof(SETTING_MEMBER(member)),                                                        \
    .offset = SETTING_OFFSET(SETTING_IS(char, member[0]), member), .choices = words_,              \
    .fallback = fallback_, .change = change_, .sentence = sentence_                                \
  }

/* `choices` names the values of the enum in order, from 0. */
#define SETTING_CHOICE(key_, member, choices_, fallback_, change_, sentence_)                      \
  {                                                                                                \
    .key = key_, .variable = #member, .type = SETTING_CHOICE, .unit = "",                          \
    .offset = SETTING_OFFSET(sizeof(SETTING_MEMBER(member)) == sizeof(int), member),               \
    .choices = choices_, .fallback = fallback_, .change = change_, .sentence = sentence_           \
  }

#define SETTING_CAPACITY(member)                                                                   \
  (sizeof(SETTING_MEMBER(member)) / sizeof(SETTING_MEMBER(member)[0]))

/* char member[capacity][size] and size_t count_; the default is written "[a, b]". */
#define SETTING_TEXTS(key_, member, count_, fallback_, change_, sentence_)                         \
  {                                                                                                \
    .key = key_, .variable = #member, .type = SETTING_TEXTS, .unit = "",                           \
    .size = sizeof(SETTING_MEMBER(member)[0]),                                                     \
    .offset = SETTING_OFFSET(SETTING_IS(char, member[0][0]), member),                              \
    .capacity = SETTING_CAPACITY(member),                                                          \
    .count_offset = SETTING_OFFSET(SETTING_IS(size_t, count_), count_), .fallback = fallback_,     \
    .change = change_, .sentence = sentence_                                                       \
  }

/* double member[capacity] and size_t count_ */
#define SETTING_REALS(key_, member, count_, unit_, fallback_, min_, max_, change_, sentence_)      \
  {                                                                                                \
    .key = key_, .variable = #member, .type = SETTING_REALS, .unit = unit_,                        \
    .offset = SETTING_OFFSET(SETTING_IS(double, member[0]), member),                               \
    .capacity = SETTING_CAPACITY(member),                                                          \
    .count_offset = SETTING_OFFSET(SETTING_IS(size_t, count_), count_), .fallback = fallback_,     \
    .min = min_, .max = max_, .change = change_, .sentence = sentence_                             \
  }

/* Rows of estimators: the default is the module's, and all may change while running. */
#define BOOL(key, member, sentence) SETTING_BOOL(key, member, NULL, SETTING_RELOAD, sentence)
#define INT(key, member, unit, min, max, sentence)                                                 \
  SETTING_INT(key, member, unit, NULL, min, max, SETTING_RELOAD, sentence)
#define REAL(key, member, unit, min, max, sentence)                                                \
  SETTING_REAL(key, member, unit, NULL, min, max, SETTING_RELOAD, sentence)
#define CHOICE(key, member, choices, sentence)                                                     \
  SETTING_CHOICE(key, member, choices, NULL, SETTING_RELOAD, sentence)
#define TEXTS(key, member, count, sentence)                                                        \
  SETTING_TEXTS(key, member, count, NULL, SETTING_RELOAD, sentence)
#define REALS(key, member, count, unit, min, max, sentence)                                        \
  SETTING_REALS(key, member, count, unit, NULL, min, max, SETTING_RELOAD, sentence)

#endif
