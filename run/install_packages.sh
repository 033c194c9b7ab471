# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by run/quickstart.sh and tests/check.sh: messages, and the Debian or Ubuntu packages that are missing.
# Asks for sudo only when something is missing and the user is not root; an MPI alternative that is set stays as it is.
# "a|b" is the first of the packages that the system's release has; "a|" may be missing from it.

build_packages=(g++ cmake ninja-build pkg-config mpich libmpich-dev libhdf5-mpich-dev libfftw3-dev libgsl-dev libpng-dev
  libfreetype-dev libhealpix-cxx-dev libcfitsio-dev fonts-dejavu-core zlib1g-dev "libtomlplusplus-dev|" libcli11-dev librandom123-dev libspdlog-dev libfmt-dev nlohmann-json3-dev libgtest-dev
  libbenchmark-dev)
check_packages=(git "clang-format-14|" "clang-tidy-16|" "clang-16|clang" "libclang-rt-16-dev|libclang-rt-dev"
  "libomp-16-dev|libomp-dev" gfortran nodejs python3-dev python3-venv)

say() { printf '==> %s\n' "$*"; }
fail() {
  printf 'multiwalk: %s\n' "$*" >&2
  exit 1
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
offered() { [ -n "$(apt-cache madison "$1" 2>/dev/null)" ]; }

missing_packages() {
  local names name choice lists=
  ! offered g++ || lists=known  # without lists anything may be on offer
  for names in "$@"; do
    choice=
    for name in ${names//|/ }; do
      if installed "$name" || [ -z "$lists" ] || offered "$name"; then choice=$name && break; fi
    done
    [ -n "$choice" ] || [[ $names == *"|" ]] || choice=${names%%|*}
    [ -z "$choice" ] || installed "$choice" || printf '%s\n' "$choice"
  done
}

alternative() { (update-alternatives --query "$1" 2>/dev/null || true) | sed -n "s/^$2: //p" | head -n 1; }

# restore_alternative GROUP VALUE STATUS, as they were; nothing to do where none was set.
restore_alternative() {
  [ -n "$2" ] || return 0
  [ "$(alternative "$1" Value)" = "$2" ] || as_root update-alternatives --set "$1" "$2"
  [ "$3" != auto ] || [ "$(alternative "$1" Best)" != "$2" ] || as_root update-alternatives --auto "$1"
}

# install_packages NAME...: installs those that are missing.
install_packages() {
  if ! command -v apt-get >/dev/null; then
    say "no apt-get here: going on with the libraries that CMake finds (Debian's names: $*)"
    return 0
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  if [ ${#missing[@]} -eq 0 ]; then
    say "all packages are installed"
    return 0
  fi
  [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
    fail "packages are missing and there is no sudo: as root, apt-get install ${missing[*]}"
  local mpi mpi_status mpirun mpirun_status
  mpi=$(alternative mpi Value) mpi_status=$(alternative mpi Status)
  mpirun=$(alternative mpirun Value) mpirun_status=$(alternative mpirun Status)
  as_root apt-get update -qq || say "apt-get update failed: trying with the package lists at hand"
  mapfile -t missing < <(missing_packages "$@")
  say "installing ${#missing[@]} packages: ${missing[*]}"
  as_root apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 "${missing[@]}" </dev/null >/dev/null ||
    fail "apt-get install failed (its reason is above); needed: ${missing[*]} (on Ubuntu from the component 'universe')"
  restore_alternative mpi "$mpi" "$mpi_status"
  restore_alternative mpirun "$mpirun" "$mpirun_status"
}

# As many compilers at a time as there are cores, and 2 GB of memory for each; MULTIWALK_BUILDS builds share the memory.
build_jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk -v builds="${MULTIWALK_BUILDS:-1}" '/^MemAvailable/ {print int($2 / 2000000 / builds)}' /proc/meminfo)
  echo $((memory < 1 ? 1 : memory < cores ? memory : cores))
}

# configure PRESET FOLDER: MULTIWALK_CMAKE_ARGS is passed on to cmake.
configure() {
  local preset=$1 folder=$2 log=$2/configure.log
  mkdir -p "$folder"
  say "configuring $folder"
  # shellcheck disable=SC2086
  cmake --preset "$preset" ${MULTIWALK_CMAKE_ARGS:-} >"$log" 2>&1 || {
    grep -A 12 'CMake Error' "$log" >&2 || tail -n 20 "$log" >&2
    fail "configuring failed: the reason is above, all of it in $log"
  }
  grep -E 'Building for CPUs only|CUDA compiler identification' "$log" || true
}

# build FOLDER TARGET...
build() {
  local folder=$1
  shift
  say "building in $folder ($(build_jobs) jobs)"
  cmake --build "$folder" -j "$(build_jobs)" --target "$@" || fail "the build failed: its first error is above"
}

configure_and_build() {
  configure "$1" "$2"
  build "${@:2}"
}

# minutes_to_build FOLDER TARGET...: texts that were never compiled take about so long: 12 s for one of C++, 20 s for one of
# kernels and each kind of GPU, by one job.
minutes_to_build() {
  local folder=$1 kinds object seconds=0
  kinds=$(sed -n 's/^CMAKE_CUDA_ARCHITECTURES:[^=]*=//p' "$folder/CMakeCache.txt" | tr ';' '\n' | grep -c .) || kinds=2
  while read -r object; do
    [ ! -e "$folder/$object" ] || continue
    case $object in *.cu.o) seconds=$((seconds + 20 * kinds)) ;; *) seconds=$((seconds + 12)) ;; esac
  done < <(ninja -C "$folder" -t commands "${@:2}" | sed -nE 's/.* -o ([^ ]+\.(cpp|cxx|cu)\.o)( .*|$)/\1/p')
  echo $(((seconds / $(build_jobs) + 30) / 60))
}
