#include "common/version.h"

/* the Makefile says both */
const char propriod_version[] = PROPRIOD_VERSION PROPRIOD_COMMIT;
