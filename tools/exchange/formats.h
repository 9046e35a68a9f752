/* Formats that only tools write, beside MCAP (exchange/sink.h). */
#ifndef FORMATS_H
#define FORMATS_H

#include "exchange/sink.h"

extern const struct sink_format csv_format;  /* a folder with a file for each series */
extern const struct sink_format npz_format;  /* numpy.load */
extern const struct sink_format mat_format;  /* MATLAB's load, a struct for each series */
extern const struct sink_format plot_format; /* a page of HTML */

#endif
