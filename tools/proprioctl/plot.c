/* proprioctl plot: a recording, measured and estimated, as a page to look at. */
#include "exchange/exporter.h"

#include "commands.h"

#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

static const char help[] =
    "usage: proprioctl plot [OPTION ...] RECORDING [QUANTITY ...]\n"
    "\n"
    "Draws what is estimated from a recording, with three standard deviations, what\n"
    "was measured, events and status, as one page of HTML that needs nothing else.\n"
    "QUANTITY is what `proprioctl echo meta` names, of all joints (ddq) or of one\n"
    "(ddq_left_knee_joint, com_position_z); * stands for anything. Without one the\n"
    "page shows centre of mass, centre of pressure, the base, the feet and the joints\n"
    "that moved most. A recording without results (record.results: false) is\n"
    "estimated first, from its beginning, about three times as fast as it was made.\n"
    "\n"
    "options:\n"
    "  -o, --output FILE  the page (default plot.html)\n"
    "      --config FILE  with this configuration instead of the recorded one\n"
    "      --from S       seconds of the recording from where on it is drawn\n"
    "      --to S         and up to where\n"
    "  -h, --help         print this\n"
    "\n"
    "exit codes: 0 done, 1 a bad file or robot, or nothing is called so, 2 the\n"
    "command line makes no sense\n";

enum { FROM = 256, TO, CONFIG };

/* An exit code, or -1 when help was asked for. */
static int read_order(int argc, char **argv, struct exporter *exporter) {
  static const struct option options[] = {
      {"output", required_argument, NULL, 'o'}, {"from", required_argument, NULL, FROM},
      {"to", required_argument, NULL, TO},      {"config", required_argument, NULL, CONFIG},
      {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
  const double longest = 1e7; /* seconds */
  *exporter = (struct exporter){.results = true,
                                .as_recorded = true,
                                .only = ~(1u << SERIES_SKIN), /* nobody looks at cell by cell */
                                .progress = isatty(STDERR_FILENO) == 1,
                                .format = {&plot_format},
                                .to = {"plot.html"},
                                .n_sinks = 1};
  optind = 1;
  for (int option; (option = getopt_long(argc, argv, "o:h", options, NULL)) != -1;) {
    if (option == 'h') {
      fputs(help, stdout);
      return -1;
    }
    if (option == '?') {
      return option_error("plot", argv);
    }
    if (option == 'o') {
      exporter->to[0] = optarg;
    } else if (option == CONFIG) {
      exporter->config = optarg;
      exporter->as_recorded = false;
    } else if (!number_option(optarg, 0.0, longest,
                              option == FROM ? &exporter->from_s : &exporter->to_s)) {
      return usage_error("plot", "'%s' is no number of seconds", optarg);
    }
  }
  if (optind == argc) {
    return usage_error("plot", "which recording?");
  }
  exporter->path = argv[optind];
  exporter->quantities = (const char *const *)argv + optind + 1;
  exporter->n_quantities = (size_t)(argc - optind - 1);
  return CTL_OK;
}

int run_plot(int argc, char **argv) {
  struct exporter exporter;
  struct exporter_count count;
  struct message error = {.text = "out of memory"};
  const int order = read_order(argc, argv, &exporter);
  if (order != CTL_OK) {
    return order < 0 ? CTL_OK : order;
  }
  const bool done = exporter_open(&exporter, &error) == STATUS_OK &&
                    exporter_run(&exporter, &count, &error) == STATUS_OK;
  if (done) {
    printf("%s\n", exporter.to[0]);
  } else {
    fprintf(stderr, "%s\n", error.text);
  }
  exporter_close(&exporter);
  return done ? CTL_OK : CTL_FAILED;
}
