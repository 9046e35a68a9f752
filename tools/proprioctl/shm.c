/* proprioctl shm: what lies in the sensors' shared memory. */
#include "shm.h"

#include "commands.h"
#include "shm/mapping_guard.h"

#include <getopt.h>
#include <stdlib.h>

static const char help[] =
    "usage: proprioctl shm dump [STREAM] [OPTION ...]\n"
    "       proprioctl shm watch STREAM [OPTION ...]\n"
    "       proprioctl shm fake STREAM [OPTION ...]\n"
    "\n"
    "Looks into the shared memory through which drivers feed propriod. STREAM is\n"
    "joints, imu, skin or wrench.\n"
    "\n"
    "commands:\n"
    "  dump            prints the layout, who writes each stream and how fresh it\n"
    "                  is; of one STREAM also the newest frame\n"
    "  watch           prints once a second at what rate and how late frames\n"
    "                  arrive, and what is wrong\n"
    "  fake            writes the stream as a driver would, to try the way of the\n"
    "                  data: joints that sway a little, an IMU and cells at rest,\n"
    "                  which do not know how the cells are mounted\n"
    "\n"
    "options:\n"
    "  --segment NAME  the segment: a path, or a plain name for a file in /dev/shm\n"
    "                  (default " PROPRIOD_SHM_DEFAULT ")\n"
    "  --seconds S     watch, fake: end after S seconds (default: at Ctrl-C)\n"
    "  --rate HZ       fake: frames a second (default 1000)\n"
    "  --json          dump, watch: one JSON object a line\n"
    "  -h, --help      print this\n"
    "\n"
    "exit codes: 0 done, 1 refused or damaged, 2 the command line makes no sense, 3\n"
    "no segment, 4 this user may not\n";

int shm_view_open(struct shm_view *view, const char *segment) {
  char path[PROPRIOD_SHM_PATH], why[PROPRIOD_SHM_REASON];
  if (propriod_shm_path(segment, path) != 0) {
    return usage_error("shm", "--segment %s: neither an absolute path nor a plain name", segment);
  }
  view->fd = open(path, O_RDONLY | O_CLOEXEC);
  if (view->fd < 0) {
    fprintf(stderr, "proprioctl: %s: %s%s\n", path, strerror(errno),
            errno == ENOENT   ? "; is propriod running? --segment says where, if not there"
            : errno == EACCES ? "; is this user in group propriod-in?"
                              : "");
    return errno == EACCES ? CTL_FORBIDDEN : CTL_UNREACHABLE;
  }
  if (propriod_shm_read_header(view->fd, &view->layout, why) != 0) {
    fprintf(stderr, "proprioctl: %s: %s\n", path, why);
    return CTL_FAILED;
  }
  void *base = mmap(NULL, view->layout.size, PROT_READ, MAP_SHARED, view->fd, 0);
  struct message error = {""};
  if (base == MAP_FAILED || mapping_guard_add(base, view->layout.size, &error) != STATUS_OK) {
    fprintf(stderr, "proprioctl: mapping %s: %s%s\n", path, strerror(errno), error.text);
    return CTL_FAILED;
  }
  view->base = base;
  return CTL_OK;
}

bool shm_view_has_writer(const struct shm_view *view, unsigned kind) {
  struct flock lock = {.l_type = F_WRLCK,
                       .l_whence = SEEK_SET,
                       .l_start = (off_t)view->layout.stream[kind].control,
                       .l_len = 1};
  return fcntl(view->fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

void *shm_view_reader(const struct shm_view *view, unsigned kind, struct stream_reader *reader) {
  const uint32_t count = view->layout.stream[kind].count;
  struct arena counting = {0};
  stream_reader_init(reader, kind, count, &counting);
  void *block = aligned_alloc(ARENA_ALIGN, counting.used);
  struct arena arena = arena_over(block, block != NULL ? counting.used : 0);
  if (block != NULL && stream_reader_init(reader, kind, count, &arena) == STATUS_OK) {
    return block;
  }
  free(block);
  fprintf(stderr, "proprioctl shm: no memory\n");
  return NULL;
}

static int stream_named(const char *word) {
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    if (strcmp(word, propriod_shm_name(kind)) == 0) {
      return (int)kind;
    }
  }
  return -1;
}

/* Reads the options; the words that are none come to the end of argv. */
static int read_options(int argc, char **argv, struct shm_options *options) {
  static const struct option known[] = {{"segment", required_argument, NULL, 's'},
                                        {"seconds", required_argument, NULL, 't'},
                                        {"rate", required_argument, NULL, 'r'},
                                        {"json", no_argument, NULL, 'j'},
                                        {NULL, 0, NULL, 0}};
  for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
    if (c == 's') {
      options->segment = optarg;
    } else if (c == 'j') {
      options->json = true;
    } else if (c == '?') {
      return option_error("shm", argv);
    } else if (c == 't' && !number_option(optarg, 0.001, 1e6, &options->seconds)) {
      return usage_error("shm", "--seconds %s: not within 0.001 .. 1e6", optarg);
    } else if (c == 'r' && !number_option(optarg, 0.001, 1e5, &options->rate_hz)) {
      return usage_error("shm", "--rate %s: not within 0.001 .. 1e5 Hz", optarg);
    }
  }
  return CTL_OK;
}

int run_shm(int argc, char **argv) {
  static const struct {
    const char *word;
    int (*run)(const struct shm_options *options);
    bool needs_stream;
  } words[] = {{"dump", shm_dump, false}, {"watch", shm_watch, true}, {"fake", shm_fake, true}};
  struct shm_options options = {.segment = PROPRIOD_SHM_DEFAULT, .kind = -1, .rate_hz = 1000.0};
  if (argc > 1 && strcmp(argv[1], "--help") == 0) {
    fputs(help, stdout);
    return CTL_OK;
  }
  const int result = read_options(argc, argv, &options);
  if (result != CTL_OK) {
    return result;
  }
  if (optind >= argc) {
    return usage_error("shm", "dump, watch or fake?");
  }
  if (optind + 1 < argc && (options.kind = stream_named(argv[optind + 1])) < 0) {
    return usage_error("shm", "unknown stream '%s': joints, imu, skin or wrench?",
                       argv[optind + 1]);
  }
  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
    if (strcmp(argv[optind], words[i].word) == 0) {
      return words[i].needs_stream && options.kind < 0
                 ? usage_error("shm", "%s which stream: joints, imu, skin or wrench?",
                               words[i].word)
                 : words[i].run(&options);
    }
  }
  return usage_error("shm", "unknown word '%s': dump, watch or fake?", argv[optind]);
}
