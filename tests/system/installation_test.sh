#!/bin/bash
# The README's "Installing it on a robot" word by word, under a real systemd: to `ok` in five commands, then over tcp at
# the port where PlotJuggler looks first, then with CURVE keys.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/service.sh"

prepare() {
  mkdir -p "$1/opt" "$1/etc/systemd/system/propriod.service.d"
  cp "$0" "$here"/{service,eventually,result}.sh "$1/opt"
  (cd "$here/../.." && pwd) >"$1/opt/checkout"
  echo "$BUILD" >"$1/opt/build"
  sed -n '/^## Installing it/,/^`init`/p' "$here/../../README.md" | grep '^    ' | sed 's/  *#.*//' >"$1/opt/commands"
  # a sanitizer's search for leaks needs ptrace, which the sandbox forbids
  printf '[Service]\nEnvironment=ASAN_OPTIONS=detect_leaks=0\n' >"$1/etc/systemd/system/propriod.service.d/asan.conf"
  # this container cannot raise limits (no CAP_SYS_RESOURCE), so the two capabilities stand in for them
  printf '[Service]\n%s\n%s\n' 'CapabilityBoundingSet=CAP_SYS_NICE CAP_IPC_LOCK' \
    'AmbientCapabilities=CAP_SYS_NICE CAP_IPC_LOCK' >"$1/etc/systemd/system/propriod.service.d/realtime.conf"
}

yaml=/etc/propriod/propriod.yaml
publishes() { sed -i '/^publish:/d' $yaml && echo "publish: {$1}" >>$yaml; }
sudo() { "$@"; } # nobody but root is here
readme_command() { eval "$(sed -n "$1p" /opt/commands)"; }
as_client() { setpriv --reuid=client --regid=client --init-groups -- "$@"; }
as_driver() { setpriv --reuid=driver --regid=driver --init-groups -- "$@"; }

status_text_has() { property StatusText | grep -qF "$1"; }
# before anybody has named a robot
it_runs_and_waits_for_a_robot() {
  make -C "$(cat /opt/checkout)" BUILD="$(cat /opt/build)" install >/tmp/out 2>&1 && systemd-sysusers &&
    systemctl enable --now propriod 2>/tmp/out && is ActiveState active && said 'waits for a robot: /etc/propriod/' &&
    status_text_has 'waits for a robot' || return 1
  proprioctl status >/tmp/out 2>&1
  [ $? = 1 ] && grep -q 'a robot: /etc/propriod/propriod.yaml' /tmp/out &&
    ! systemctl reload propriod 2>/dev/null && is ActiveState active && is NRestarts 0
}

# a description left in a folder that the service does not see: whoever checks it is told, and so is whoever reloads it
users_files_are_found() {
  mkdir -p /home/eve && cp /etc/propriod/robots/humanoid30.urdf /home/eve/robot.urdf && cp $yaml /tmp/first &&
    proprioctl init /home/eve/robot.urdf >$yaml || return 1
  proprioctl check $yaml >/dev/null 2>/tmp/out
  grep -q 'robot.urdf: /home/eve/robot.urdf: the service sees nothing in /home' /tmp/out &&
    ! systemctl reload propriod 2>/dev/null && proprioctl reload >/tmp/out 2>&1
  grep -q 'a service sees nothing in /home.*copy it beside the configuration' /tmp/out && is ActiveState active && cp /tmp/first $yaml
}

it_installs() {
  cd /home/eve && [ "$(wc -l </opt/commands)" = 5 ] && readme_command 2 && readme_command 3 >/tmp/out &&
    sed -i 's/^#cycle:.*/cycle: {period: 0.004}/' $yaml && # what is installed is tested, not how fast this machine is
    readme_command 4 >/tmp/out 2>&1 && eventually said 'ready: humanoid30' &&
    is ActiveState active && is NRestarts 0 && proprioctl doctor >/tmp/doctor
  [ $? -le 1 ] && grep -q 'SCHED_FIFO' /tmp/doctor # what this machine refuses is no fault of the installation
}

# a machine at work starves the simulation now and then
status_is_ok() { as_client bash -c "$(sed -n 5p /opt/commands)" >/tmp/out 2>&1; }
it_says_ok() {
  useradd -G propriod-in driver && useradd -G propriod client || return 1
  as_driver propriod-sim --config $yaml --scenario stand --rate 250 --quiet >/tmp/sim 2>&1 &
  simulator=$!
  eventually status_is_ok
}

# both are in the group that may ask; what was learned is not theirs
asks() { # USER REQUEST
  "as_$1" /usr/bin/python3 -c 'import socket, sys
link = socket.socket(socket.AF_UNIX)
link.connect("/run/propriod/control.sock")
link.sendall(sys.argv[1].encode() + b"\n")
print(link.makefile().read())' "$2" >/tmp/out 2>&1
}
as_root() { "$@"; }
only_root_lets_it_forget() {
  asks client status && grep -q '^ok$' /tmp/out && asks client forget && grep -q '^failed$' /tmp/out &&
    grep -q 'only root and the user of the service may let it forget' /tmp/out && asks root forget && grep -q '^ok$' /tmp/out
}

# Two frames a message, a topic and one MessagePack map, to whoever subscribes to everything.
plotjuggler_hears() { # ADDRESS
  timeout 60 /usr/bin/python3 - "$1" <<'END'
import sys, msgpack, zmq
subscriber = zmq.Context().socket(zmq.SUB)
subscriber.connect("tcp://" + sys.argv[1])
subscriber.subscribe(b"")
heard = {}
while not ({b"state", b"centroidal", b"meta", b"diag"} <= heard.keys() and "q" in heard[b"state"]):
    topic, body = subscriber.recv_multipart()
    heard[topic] = msgpack.unpackb(body)
assert len(heard[b"state"]["q"]) == 30
END
}

tcp_is_served() {
  publishes 'tcp: "127.0.0.1:9872"'
  systemctl restart propriod && plotjuggler_hears 127.0.0.1:9872 >/tmp/out 2>&1 &&
    timeout 60 /usr/bin/python3 -c 'import propriod; print(propriod.Subscriber("tcp://127.0.0.1:9872").meta["robot"])' \
      >>/tmp/out 2>&1 && grep -q humanoid30 /tmp/out && is NRestarts 0 && is ActiveState active
}

hears_with_keys() { as_client proprioctl echo meta -n 1 --timeout 60 --endpoint tcp://127.0.0.1:9872 "$@" >/tmp/out 2>&1; }
keys_are_asked_for() {
  proprioctl keys /etc/propriod/robot >/tmp/out && chown propriod: /etc/propriod/robot.secret &&
    (cd /home && proprioctl keys client && chown client: client.* && cat client.public >/etc/propriod/clients) >/tmp/out || return 1
  publishes 'tcp: "0.0.0.0:9872", curve_secret_key: robot.secret, curve_clients: clients'
  proprioctl check $yaml >/tmp/out && systemctl restart propriod &&
    hears_with_keys --key /home/client.secret --server-key /etc/propriod/robot.public && grep -q humanoid30 /tmp/out &&
    ! timeout 4 /usr/bin/python3 -c 'import propriod; propriod.Subscriber("tcp://127.0.0.1:9872").meta' 2>/tmp/stranger &&
    is NRestarts 0 && is ActiveState active
}

# a secret that root has made and left to root: found by the check, and no restart for ever
keys_of_root_are_found() {
  chown root: /etc/propriod/robot.secret
  ! proprioctl check $yaml >/tmp/out 2>&1 && grep -q 'chown propriod: /etc/propriod/robot.secret' /tmp/out || return 1
  systemctl stop propriod
  ! systemctl start propriod 2>/dev/null && sleep 1.2 && is ActiveState failed && is ExecMainStatus 78 &&
    said 'robot.secret: Permission denied'
}

showing() { # NAME STATUS: with what the last command said
  [ "$2" = 0 ] || sed 's/^/# /' /tmp/out
  result "$@"
}

inside() {
  since=$(date '+%Y-%m-%d %H:%M:%S')
  export PYTHONDONTWRITEBYTECODE=1
  it_runs_and_waits_for_a_robot; showing without_a_robot_it_runs_and_says_what_it_waits_for $?
  users_files_are_found; showing files_that_the_service_would_not_see_are_found $?
  it_installs; showing the_readme_installs_it_in_five_commands $?
  it_says_ok; showing with_a_driver_it_says_ok $?
  only_root_lets_it_forget; showing a_subscriber_may_ask_and_not_let_it_forget $?
  tcp_is_served; showing plotjuggler_and_python_hear_it_over_tcp $?
  keys_are_asked_for; showing with_curve_keys_their_owner_hears_it_and_a_stranger_does_not $?
  keys_of_root_are_found; showing a_secret_key_that_the_service_cannot_read_is_found $?
  kill "$simulator"
  exit $bad
}

case ${1:-} in
prepare) prepare "$2" ;;
inside) inside ;;
*) run_under_systemd installation_test.sh ;;
esac
