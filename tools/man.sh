#!/bin/sh
# Makes a manual page from what a program says about itself.
#   tools/man.sh NAME SECTION 'ONE LINE' COMMAND... >page       COMMAND prints the help
#   tools/man.sh --settings PROPRIOD >page                      propriod.yaml(5), from the table of settings
#   tools/man.sh --topics PROPRIOD >page                        propriod-topics(7), from the rows of what is published
#   tools/man.sh --segment >page                                propriod-segment(7): what drivers write
#   tools/man.sh --guide FILE.md >page                          a guide: "# NAME: ONE LINE", then "## " headings, paragraphs, lists of
#                                                               "- ", lines of code behind four blanks, **bold** and `code`
# In the help, a line alone that ends with ":" is a heading, or "exit codes:" and what follows; an indented line with a
# gap of two spaces is a term and its explanation, which deeper lines continue; other indented lines stay as they are.
set -eu

header() { # NAME SECTION ONE-LINE
  printf '.TH %s %s "" "propriod" "propriod"\n.nh\n.ad l\n.SH NAME\n%s \\- %s\n' \
    "$(echo "$1" | tr '[:lower:]' '[:upper:]')" "$2" "$1" "$3"
}

see_also() {
  printf '.SH SEE ALSO\n.BR propriod (8),\n.BR propriod.yaml (5),\n.BR propriod-segment (7),\n.BR propriod-topics (7),\n'
  printf '.BR propriod-robots (7),\n.BR propriod-weighing (7),\n.BR propriod-recordings (7),\n'
  printf '.BR proprioctl (1),\n.BR propriod-sim (1)\n'
}

files() {
  cat <<'PAGE'
.SH FILES
.TP
.I /etc/propriod/propriod.yaml
the configuration;
.I /etc/propriod/NAME.yaml
of propriod@NAME, whose folders below end with \-NAME
.TP
.I /run/propriod/shm
the segment that drivers write, propriod\-segment(7); with \-state behind, the state in shared memory
.TP
.I /run/propriod/pub.sock
where it publishes, propriod\-topics(7)
.TP
.I /run/propriod/control.sock
for proprioctl
.TP
.I /run/propriod/propriod.prom
counters for Prometheus
.TP
.I /var/lib/propriod
what has been learned, and recordings
PAGE
}

environment() {
  cat <<'PAGE'
.SH ENVIRONMENT
.TP
.B PROPRIOD_ENDPOINT
where clients find the publisher, instead of ipc:///run/propriod/pub.sock; the control socket is looked for beside it
.TP
.B NO_COLOR
no colours
PAGE
}

# What one would type first.
examples() { # NAME
  printf '.SH EXAMPLES\n.nf\n'
  sed -n "/^\[$1\]\$/,/^\[/{/^\[/!p}" "$(dirname "$0")/man_examples.txt" | escape
  printf '.fi\n'
}

escape() {
  sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^\([.']\)/\\\\\&\1/"
}

help_to_sections() {
  awk '
    function indent(text) { match(text, /^ */); return RLENGTH }
    function section(name) { verbatim(0); item = 0; print ".SH " toupper(name) }
    function verbatim(wanted) { if (wanted != open) print wanted ? ".nf" : ".fi"; open = wanted }
    { line[NR] = $0 }
    END {
      for (i = 1; i <= NR; i++) {
        text = line[i]; body = text; sub(/^ +/, "", body)
        if (i == 1) { section("synopsis"); verbatim(1); sub(/^usage: /, "", body); print body; synopsis = 1 }
        else if (synopsis && indent(text) > 0) print body
        else if (synopsis) { section("description"); synopsis = 0 }
        else if (text == "") { verbatim(0); if (line[i + 1] !~ /^[a-z].*:$|^exit codes: /) print ".PP"; item = 0 }
        else if (text ~ /^exit codes: /) { section("exit status"); sub(/^exit codes: /, ""  , body); print body }
        else if (text ~ /^[a-z].*:$/ && line[i - 1] == "") {
          sub(/:$/, "", body); section(body == "exit codes" ? "exit status" : body) }
        else if (indent(text) == 0) print body
        else if (match(body, /[^ ]  +[^ ]/)) {
          verbatim(0); print ".TP\n.B " substr(body, 1, RSTART); print substr(body, RSTART + RLENGTH - 1)
          item = indent(text) }
        else if (item && indent(text) > item) print body
        else if (body ~ /^.-/ && indent(line[i + 1]) > indent(text)) { print ".TP\n.B " body; item = indent(text) }
        else { verbatim(1); item = 0; print text }
      }
      verbatim(0)
    }'
}

settings_to_sections() {
  awk -F' [|] ' '
    /^## /   { print ".SH " toupper(substr($0, 4)); next }
    /^[|] `/ { key = $1; sub(/^[|] /, "", key); gsub(/`/, "", key); gsub(/`/, "", $2); sub(/ [|]$/, "", $5)
               print ".TP\n.B " key
               print $5
               print ".br\nDefault " ($2 == "" ? "none" : $2) "; " $3 "; takes effect at the next " $4 "." }'
}

guide_to_sections() {
  escape | awk '
    function verbatim(wanted) { if (wanted != open) print wanted ? ".PP\n.nf" : ".fi\n.PP"; open = wanted }
    function marked(text,   parts, n, i, out) {
      while (match(text, /\*\*[^*]+\*\*/)) {
        text = substr(text, 1, RSTART - 1) "\\fB" substr(text, RSTART + 2, RLENGTH - 4) "\\fR" substr(text, RSTART + RLENGTH) }
      n = split(text, parts, "`"); out = parts[1]
      for (i = 2; i <= n; i++) out = out (i % 2 == 0 ? "\\fB" : "\\fR") parts[i]
      return out
    }
    NR == 1    { next }
    /^## /     { verbatim(0); print ".SH " toupper(substr($0, 4)); begun = 1; next }
    /^    /    { verbatim(1); print substr($0, 5); next }
    /^$/       { if (open) print ""; else if (!begun) print ".PP"; next }
    /^\\- /    { verbatim(0); print ".IP \\(bu 2\n" marked(substr($0, 4)); next }
               { verbatim(0); begun = 0; sub(/^  /, ""); print marked($0) }
    END        { verbatim(0) }' | sed -e ':a' -e '/^$/{N;s/^\n\.fi/.fi/;}'
}

if [ "$1" = --guide ]; then
  title=$(sed -n '1s/^# //p' "$2")
  header "${title%%: *}" 7 "${title#*: }"
  guide_to_sections <"$2"
  examples "${title%%: *}"
  files
  environment
  see_also
  exit
fi
if [ "$1" = --settings ]; then
  header propriod.yaml 5 'configuration of propriod'
  cat <<'PAGE'
.SH DESCRIPTION
One YAML file,
.I /etc/propriod/propriod.yaml
by default. Options that it does not name have their default. Everything is in SI units; paths are relative to the file.
.B proprioctl check
says what is wrong in a file,
.B proprioctl reload
puts it into effect.
PAGE
  "$2" --print-reference | escape | settings_to_sections
  examples propriod.yaml
  files
  environment
  see_also
  exit
fi
if [ "$1" = --topics ]; then
  header propriod-topics 7 'what propriod publishes'
  cat <<'PAGE'
.SH DESCRIPTION
ZeroMQ SUB, two frames a message: the topic, and one MessagePack map. Every map begins with
.B v seq timestamp t_mono_ns status\c
\&, the status one of init, ok, degraded, diverged, stale. What is not estimated is absent and listed in
.B not_estimated\c
\&; a value that is there is finite.
.B meta
describes the rest to programs: joint order, names, units, frames. 
.PP
The frame
.B world
has z against gravity. Its origin lies below the base link's as that stood when its estimate began, as high as the lowest sole then was;
x is where the base faced. The estimate begins at the start, and anew whenever
.B resets
counts.
.B proprioctl origin
places it anew, for all topics between the same two cycles; an event and
.B origin
in meta (x y yaw: where the estimators' own origin then lies) say so. Yaw and horizontal position are not observable from inside the body and drift; the deviations say how far.
PAGE
  "$2" --print-topics | escape | awk -F' [|] ' '
    /^## /   { print ".SH " toupper(substr($0, 4)); next }
    /^[|] `/ { key = $1; sub(/^[|] /, "", key); gsub(/`/, "", key); sub(/ [|]$/, "", $5)
               print ".TP\n.B " key
               print $2 ($3 == "" ? "" : ", " $3) ($4 == "" ? "" : ", " $4) ($5 == "" ? "" : ": " $5) }'
  examples propriod-topics
  files
  environment
  see_also
  exit
fi
if [ "$1" = --segment ]; then
  header propriod-segment 7 'the shared memory that drivers write'
  cat <<'PAGE'
.SH SYNOPSIS
.nf
#include <propriod/shm.h>
.fi
.SH DESCRIPTION
propriod creates one segment with four streams:
.B joints\c
\&,
.B imu\c
\&,
.B skin\c
\&,
.B wrench\c
\&. Each has its own rate and one writer; a second one is refused. Names, order and geometry live in the configuration, never here.
Everything is SI and little\-endian. Stamps are CLOCK_MONOTONIC in nanoseconds, the instant of sampling. A value that a sensor did not give is NaN.
.TP
.B joints
q, and with PROPRIOD_SHM_VELOCITY dq, with PROPRIOD_SHM_EFFORT tau, of each place of
.B robot.joints\c
\&; without that list of the joints of the URDF in their order, but those that mimic others. A new frame starts a cycle.
.TP
.B imu
of
.B robot.imu
and then
.B robot.limb_imus\c
\&, all of one instant: specific_force[n][3] m/s^2, angular_rate[n][3] rad/s; optionally the orientation of the first.
.TP
.B skin
acceleration[n][3] m/s^2 and flags of each cell; PROPRIOD_SHM_CELL_VALID where it has answered; proximity and force where there are any.
.TP
.B wrench
of
.B robot.wrenches
moment N m about the sensor's origin and force N, on the robot; then for each of
.B robot.contact_switches
force z 1 for contact, 0 for none.
.PP
The reader never waits for a writer. Frames that are torn, damaged, repeated, out of order or wrongly stamped are refused, each with a counter of its own in
.B diag\c
\&. A segment that was replaced is noticed by propriod_shm_commit: open again.
.SH EXAMPLES
.nf
struct propriod_shm joints;
char why[PROPRIOD_SHM_REASON];
while (propriod_shm_open(&joints, PROPRIOD_SHM_DEFAULT, PROPRIOD_SHM_JOINTS, 30, 0, why) != 0) {
  fprintf(stderr, "%s\en", why);
  sleep(1);
}
for (;;) {
  struct propriod_shm_joints frame = propriod_shm_begin_joints(&joints);
  int64_t t_ns = read_encoders(frame.q);
  if (propriod_shm_commit(&joints, t_ns) != 0) { break; }
}
.fi
.PP
From Python: propriod.Driver("joints", 30). To try the way of the data: proprioctl shm fake imu, proprioctl shm dump.
PAGE
  files
  environment
  see_also
  exit
fi
name=$1 section=$2 line=$3
shift 3
header "$name" "$section" "$line"
"$@" | escape | help_to_sections
examples "$name"
files
environment
see_also
