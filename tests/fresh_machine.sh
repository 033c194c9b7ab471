#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# fresh_machine.sh [OPTION...] [RELEASE...]: the README's commands, run/quickstart.sh and tests/check.sh, as a new user runs them
# in a clone of the last commit on a clean Debian (bookworm, trixie, forky; default: trixie). Prints what passed, in how many
# minutes, and the end of the log of what failed; logs are kept in build_fresh. The systems are made by debootstrap (which root
# installs and the right to mount needs), or else are containers of podman or docker; skipped (77) where neither can be had.
#   --all            all three releases
#   --only NAME      quickstart or check
#   --compile        instead of both: configures everything and compiles what is installed; a warning fails
#   --changed        only if the last five commits changed how libraries are found or wrapped; else skipped, too
#   --container      in containers, even where debootstrap would do
#   --keep           keeps the systems that it made, and names them
#   --root FOLDER    in a system that debootstrap made and --keep kept, with a new clone
#   --ccache FOLDER  with ccache, whose files are kept there
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. run/install_packages.sh
usage() { sed -n '3,15s/^# //p' tests/fresh_machine.sh >&2 && exit 2; }
skip() { say "SKIPPED: $*" && exit 77; }
changed_lately() {
  local found='^(CMakeLists[.]txt|CMakePresets[.]json|run/install_packages[.]sh|tests/fresh_machine[.]sh|.*[.]cmake)$'
  local wrapped='^[+-]#include <(mpi|hdf5|toml|spdlog|CLI|fftw3|gsl|png|ft2build|fitsio|healpix)'
  grep -qE "$found" <(git log -5 --name-only --format=) || grep -qE "$wrapped" <(git log -5 --patch --format=)
}

releases=() steps=(quickstart check) changed='' container='' keep='' given_root='' ccache=''
while [ $# -gt 0 ]; do
  case $1 in
    --all) releases=(bookworm trixie forky) ;;
    --only) case ${2:-} in quickstart | check) steps=("$2") && shift ;; *) usage ;; esac ;;
    --compile) steps=(compile) ;;
    --changed) changed=yes ;;
    --container) container=wanted ;;
    --keep) keep=yes ;;
    --root) given_root=$(realpath -e "${2:-}") && shift || usage ;;
    --ccache) mkdir -p "${2:?}" && ccache=$(realpath "$2") && shift ;;
    bookworm | trixie | forky) releases+=("$1") ;;
    *) usage ;;
  esac
  shift
done
[ ${#releases[@]} -gt 0 ] || releases=(trixie)
[ -z "$given_root" ] || [ ${#releases[@]} -eq 1 ] || usage

git rev-parse HEAD &>/dev/null || skip "no git checkout that this user may read (git config --global safe.directory)"
[ -z "$changed" ] || changed_lately || skip "the last five commits did not change how libraries are found"
[ -z "$(git status --porcelain)" ] || say "the last commit is tried, without the changes that are not committed"
# Mounts and processes are in namespaces of their own, and end with them: whatever stops this script, nothing stays mounted.
apart=(unshare --mount --pid --fork --kill-child)
if [ -n "$container" ] || [ "$(id -u)" -ne 0 ] || ! "${apart[@]}" mount --bind /tmp /mnt 2>/dev/null; then
  for container in podman docker none; do ! "$container" info &>/dev/null || break; done
  [ $container != none ] || skip "only root, with the right to mount, can make a clean system: sudo tests/fresh_machine.sh"
elif ! command -v debootstrap >/dev/null; then
  (install_packages debootstrap) || skip "no debootstrap"
fi

logs=$PWD/build_fresh made=() child=''
mkdir -p "$logs"
finish() {
  [ -z "$child" ] || { kill -9 "$child" 2>/dev/null && wait "$child" 2>/dev/null; } || true
  local system
  for system in "${made[@]}"; do
    [ -z "$keep" ] || { say "kept: $system" && continue; }
    if [ -n "$container" ]; then "$container" rm --force "$system" &>/dev/null; else
      # What was stopped may take a moment to end.
      rm -rf --one-file-system "$system" 2>/dev/null || { sleep 2 && rm -rf --one-file-system "$system"; }
    fi
  done
}
trap finish EXIT
trap 'exit 130' INT TERM HUP
# attended COMMAND...: it ends when this script is stopped.
attended() {
  local code=0
  "$@" </dev/null &
  child=$!
  wait "$child" || code=$?
  child=''
  return $code
}

# inside USER COMMAND, in the system `root`: a folder, or the name of a container
inside() {
  if [ -n "$container" ]; then
    attended "$container" exec "$root" su - "$1" -c "$2"
    return
  fi
  cp --remove-destination /etc/resolv.conf /etc/hosts "$root/etc/"
  attended "${apart[@]}" --mount-proc="$root/proc" bash -euc '
    mount --rbind /dev "$0/dev" && mount --rbind /sys "$0/sys"
    [ -z "$3" ] || { mkdir -p "$0/var/cache/ccache" && mount --bind "$3" "$0/var/cache/ccache"; }
    exec chroot "$0" su - "$1" -w http_proxy,https_proxy,no_proxy -c "$2"' "$root" "$1" "$2" "$ccache"
}

# new_system RELEASE: with git, and a user who may call sudo.
new_system() {
  if [ -n "$container" ]; then
    root=multiwalk_fresh_$1_$$
    made+=("$root")
    "$container" run --detach --name "$root" ${ccache:+--volume "$ccache:/var/cache/ccache"} "debian:$1" sleep infinity >/dev/null ||
      skip "no container of debian:$1"
    inside root 'apt-get -qq update && apt-get -qq install -y --no-install-recommends sudo git ca-certificates' &>"$logs/$1_container.log"
  else
    root=$(mktemp -d "$logs/$1.XXXXXX")
    made+=("$root")
    chmod 755 "$root"
    # A release newer than this debootstrap is made as Debian's unstable is.
    rm -rf "$logs/debootstrap" && cp -r /usr/share/debootstrap "$logs"
    [ -e "$logs/debootstrap/scripts/$1" ] || ln -s sid "$logs/debootstrap/scripts/$1"
    DEBOOTSTRAP_DIR=$logs/debootstrap attended "${apart[@]}" --mount-proc \
      debootstrap --variant=minbase --include=sudo,git,ca-certificates "$1" "$root" &>"$logs/$1_debootstrap.log" ||
      { tail -n 3 "$logs/$1_debootstrap.log" && skip "debootstrap made no $1"; }
    echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/90fresh"  # a mirror may be weeks old
  fi
  inside root 'useradd --create-home --shell /bin/bash user && echo "user ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/user'
}

new_clone() {
  git bundle create --quiet "$logs/clone.bundle" HEAD
  if [ -n "$container" ]; then "$container" cp "$logs/clone.bundle" "$root:/tmp"; else cp "$logs/clone.bundle" "$root/tmp"; fi
  inside user 'rm -rf multiwalk && git -c advice.detachedHead=false -c init.defaultBranch=main clone --quiet /tmp/clone.bundle multiwalk'
  [ -z "$ccache" ] || inside root 'chown -R user: /var/cache/ccache && echo cache_dir = /var/cache/ccache >/etc/ccache.conf &&
    apt-get -qq update && apt-get -qq install -y ccache' &>/dev/null
}

declare -A command=([quickstart]=run/quickstart.sh [check]=tests/check.sh [compile]='. run/install_packages.sh
  install_packages "${build_packages[@]}"
  MULTIWALK_CMAKE_ARGS="-DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O1 -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=50" \
    configure_and_build release build installed')
summary=() failed=0
for release in "${releases[@]}"; do
  root=$given_root
  [ -n "$root" ] || { say "making a clean $release" && new_system "$release"; }
  new_clone
  for step in "${steps[@]}"; do
    log=$logs/${release}_$step.log result=passed SECONDS=0
    say "$release: $step (see $log)"
    inside user "cd multiwalk && ${command[$step]}" >"$log" 2>&1 || { result=FAILED failed=1 && tail -n 20 "$log"; }
    summary+=("$(printf '%-9s %-11s %s in %d min' "$release" "$step" "$result" $(((SECONDS + 30) / 60)))")
  done
  versions=$(inside root "dpkg-query -f '\${Package} \${Version}, ' -W g++ cmake mpich libhdf5-mpich-dev libfmt-dev libspdlog-dev")
  summary+=("$(printf '%-9s has %s' "$release" "${versions%, }")")
done
printf '%s\n' "${summary[@]}"
exit $failed
