#!/bin/sh
# Makes a manual page from what a program says about itself.
#   tools/man.sh NAME SECTION 'ONE LINE' COMMAND... >page       COMMAND prints the help
#   tools/man.sh --settings PROPRIOD >page                      propriod.yaml(5), from the table of settings
# In the help, a line alone that ends with ":" is a heading, or "exit codes:" and what follows; an indented line with a
# gap of two spaces is a term and its explanation, which deeper lines continue; other indented lines stay as they are.
set -eu

header() { # NAME SECTION ONE-LINE
  printf '.TH %s %s "" "propriod" "propriod"\n.nh\n.ad l\n.SH NAME\n%s \\- %s\n' \
    "$(echo "$1" | tr '[:lower:]' '[:upper:]')" "$2" "$1" "$3"
}

see_also() {
  printf '.SH SEE ALSO\n.BR propriod (8),\n.BR propriod.yaml (5),\n.BR proprioctl (1),\n.BR propriod-sim (1)\n'
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
  see_also
  exit
fi
name=$1 section=$2 line=$3
shift 3
header "$name" "$section" "$line"
"$@" | escape | help_to_sections
see_also
