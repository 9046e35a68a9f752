#!/bin/sh
# Makes a manual page from what a program says about itself.
#   tools/man.sh NAME SECTION 'ONE LINE' COMMAND... >page       COMMAND prints the help
#   tools/man.sh --settings PROPRIOD >page                      propriod.yaml(5), from the table of settings
# A line of the help that begins in the first column and ends with ":" is a heading; indented lines stay as they are.
set -eu

header() { # NAME SECTION ONE-LINE
  printf '.TH %s %s "" "propriod" "propriod"\n.SH NAME\n%s \\- %s\n' \
    "$(echo "$1" | tr '[:lower:]' '[:upper:]')" "$2" "$1" "$3"
}

escape() {
  sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^\([.']\)/\\\\\&\1/"
}

help_to_sections() {
  awk '
    /^usage: / { sub(/^usage: /, ""); print ".SH SYNOPSIS\n.nf"; print; usage = 1; next }
    usage && /^ +[^ ]/ { sub(/^ +/, ""); print; next }
    usage { print ".fi\n.SH DESCRIPTION"; usage = 0 }
    /^[a-z].*:$/ { if (open) print ".fi"; sub(/:$/, ""); print ".SH " toupper($0) "\n.nf"; open = 1; next }
    /^$/ { print open ? "" : ".PP"; next }
    { print }
    END { if (open) print ".fi" }'
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
  exit
fi
name=$1 section=$2 line=$3
shift 3
header "$name" "$section" "$line"
"$@" | escape | help_to_sections
