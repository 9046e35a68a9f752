#include "arguments.h"

#include <getopt.h>

enum { OPTION_CHECK = 256, OPTION_PRINT, OPTION_REFERENCE, OPTION_TOPICS };

static const struct option options[] = {
    {"config", required_argument, NULL, 'c'},
    {"set", required_argument, NULL, 's'},
    {"check-config", no_argument, NULL, OPTION_CHECK},
    {"print-settings", no_argument, NULL, OPTION_PRINT},
    {"print-reference", no_argument, NULL, OPTION_REFERENCE},
    {"print-topics", no_argument, NULL, OPTION_TOPICS},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

void arguments_print_help(FILE *out) {
  fputs("usage: propriod [OPTION ...]\n"
        "\n"
        "Estimates how a robot moves and what it weighs: reads joint encoders, the base\n"
        "IMU and skin accelerations from shared memory and publishes the robot's state\n"
        "every cycle.\n"
        "\n"
        "options:\n"
        "  -c, --config FILE      configuration\n"
        "                         (default " PROPRIOD_DEFAULT_CONFIG ")\n"
        "  -s, --set KEY=VALUE    one option, wins over the file; may be repeated\n"
        "      --check-config     read the configuration and all it names, say what is\n"
        "                         wrong, end\n"
        "      --print-settings   print every option with the value that holds, end\n"
        "      --print-reference  print the reference of all options as Markdown, end\n"
        "      --print-topics     print the reference of all that is published as\n"
        "                         Markdown, end\n"
        "  -h, --help             print this, end\n"
        "  -V, --version          print the version, end\n"
        "\n"
        "signals:\n"
        "  SIGHUP           read the configuration again; a bad one changes nothing\n"
        "  SIGTERM, SIGINT  end\n"
        "\n"
        "exit status:\n"
        "  0   ended as asked\n"
        "  1   could not start or had to stop; standard error or the journal says\n"
        "      why\n"
        "  2   the command line makes no sense\n"
        "  78  the configuration, or a file that it names, is bad\n",
        out);
}

static bool add_override(struct settings_overrides *overrides, const char *text) {
  if (overrides->count == SETTINGS_MAX_OVERRIDES) {
    fprintf(stderr, "propriod: more than %d times --set\n", SETTINGS_MAX_OVERRIDES);
    return false;
  }
  overrides->text[overrides->count++] = text;
  return true;
}

static bool take(int option, struct arguments *arguments) {
  switch (option) {
  case 'c':
    arguments->config = optarg;
    return true;
  case 's':
    return add_override(&arguments->overrides, optarg);
  case OPTION_CHECK:
    arguments->action = ACTION_CHECK_CONFIG;
    return true;
  case OPTION_PRINT:
    arguments->action = ACTION_PRINT_SETTINGS;
    return true;
  case OPTION_REFERENCE:
    arguments->action = ACTION_PRINT_REFERENCE;
    return true;
  case OPTION_TOPICS:
    arguments->action = ACTION_PRINT_TOPICS;
    return true;
  case 'h':
    arguments->action = ACTION_HELP;
    return true;
  case 'V':
    arguments->action = ACTION_VERSION;
    return true;
  default: /* getopt has said what was wrong */
    fputs("propriod --help explains\n", stderr);
    return false;
  }
}

bool arguments_read(int argc, char **argv, struct arguments *arguments) {
  *arguments = (struct arguments){.action = ACTION_RUN, .config = PROPRIOD_DEFAULT_CONFIG};
  int option;
  while ((option = getopt_long(argc, argv, "c:s:hV", options, NULL)) != -1) {
    if (!take(option, arguments)) {
      return false;
    }
  }
  if (optind < argc) {
    fprintf(stderr, "propriod: unexpected '%s'\npropriod --help explains\n", argv[optind]);
    return false;
  }
  return true;
}
