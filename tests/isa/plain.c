/* A processor with nothing beyond what every x86-64 has. */
#define LESSER_ISA 1
#include "lesser_processor.h"
