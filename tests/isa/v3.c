/* A processor with AVX2 and without AVX-512. */
#define LESSER_ISA 3
#include "lesser_processor.h"
