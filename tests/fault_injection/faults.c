/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preloaded into a program: lets one call of the system fail, as a full disk, a broken one or too little memory do.
 *   FAULT_KIND   memory, open, read, write, sync, rename, close or hdf5; every: counts all of them, and none fails
 *   FAULT_AT     the number of the call that fails, from 1; 0: none
 *   FAULT_AFTER  1: every later call of its kind fails too
 *   FAULT_COUNT  file that gets the number of calls of this kind, at exit; of every kind, a line each with its name
 *   FAULT_CRASH  file into which, if the program crashes, the name of the library or program is written whose code
 *                crashed: the innermost one that is not the C library
 * Calls that concern the terminal, pipes, or files in /proc, /sys, /dev, /etc, /usr and /lib do not count. hdf5: calls of
 * its interface by anybody. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

enum kind { none, memory, opening, reading, writing, syncing, renaming, closing, hdf5, every };
static const char* names[] = {"none", "memory", "open", "read", "write", "sync", "rename", "close", "hdf5", "every"};

static enum kind faulty = none, wanted = none;
static long at = 0, after = 0;
static atomic_long calls[every];

static enum kind kind_named(const char* name) {
  for (int k = memory; k <= every; ++k)
    if (name && strcmp(name, names[k]) == 0) return (enum kind)k;
  return none;
}

static int crash_file = -1;

/* The library of the first frame, from the faulting instruction on, that is not in the C library. */
static const char* culprit(void* instruction) {
  static void* frames[64];
  const int count = backtrace(frames, 64);
  int at = 0;
  while (at < count && frames[at] != instruction) ++at;
  for (at = at < count ? at : 0; at < count; ++at) {
    Dl_info place;
    if (!dladdr(frames[at], &place) || !place.dli_fname) continue;
    if (!strstr(place.dli_fname, "/libc.") && !strstr(place.dli_fname, "faults")) return place.dli_fname;
  }
  return "nobody known";
}

static void tell_crash(int signal, siginfo_t* about, void* context) {
  (void)about;
  const char* name = culprit((void*)((ucontext_t*)context)->uc_mcontext.gregs[REG_RIP]);
  if (write(crash_file, name, strlen(name)) < 0) _exit(1);
  _exit(128 + signal);
}

/* Libraries install handlers of their own: to be called again after them. */
static void watch_crashes(void) {
  static char stack[1 << 16];
  const char* path = getenv("FAULT_CRASH");
  if (!path) return;
  void* first;
  backtrace(&first, 1); /* loads what backtrace needs */
  if (crash_file < 0) crash_file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&other, NULL);
  struct sigaction action = {.sa_sigaction = tell_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND};
  const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  for (unsigned i = 0; i < sizeof signals / sizeof *signals; ++i) sigaction(signals[i], &action, NULL);
}

static int (*real_main)(int, char**, char**);

static int of_several_ranks(void) { return getenv("PMI_RANK") || getenv("OMPI_COMM_WORLD_RANK"); }

/* Faults begin with main: failures of the loader and of static objects before it cannot be reported. On several ranks
 * they begin when MPI is initialised: before, the launcher does not end the other ranks. */
static int counted_main(int argc, char** argv, char** environment) {
  const char *number = getenv("FAULT_AT"), *later = getenv("FAULT_AFTER");
  at = number ? atol(number) : 0;
  after = later && *later == '1';
  watch_crashes();
  wanted = kind_named(getenv("FAULT_KIND"));
  if (!of_several_ranks()) faulty = wanted;
  return real_main(argc, argv, environment);
}

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*begin)(void), void (*end)(void),
                      void (*loader_end)(void), void* stack_end) {
  real_main = main;
  return ((__typeof__(&__libc_start_main))dlsym(RTLD_NEXT, "__libc_start_main"))(counted_main, argc, argv, begin, end,
                                                                                 loader_end, stack_end);
}

__attribute__((destructor)) static void end(void) {
  const char* path = getenv("FAULT_COUNT");
  faulty = none;
  FILE* file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  for (int k = memory; wanted == every && k < every; ++k) fprintf(file, "%s %ld\n", names[k], calls[k]);
  if (wanted != every) fprintf(file, "%ld\n", calls[wanted]);
  fclose(file);
}

static int fails(enum kind kind, int error) {
  if (kind != faulty && faulty != every) return 0;
  const long call = ++calls[kind];
  if (at == 0 || call < at || (call > at && !after)) return 0;
  errno = error;
  return 1;
}

/* No faults while MPI begins and ends: it ends the program in its own ways. */
int MPI_Init_thread(void* arguments, void* texts, int threads, int* provided) {
  faulty = none;
  const int status = ((int (*)(void*, void*, int, int*))dlsym(RTLD_NEXT, "MPI_Init_thread"))(arguments, texts, threads, provided);
  watch_crashes();
  faulty = wanted;
  return status;
}
int MPI_Finalize(void) {
  faulty = none;
  return ((int (*)(void))dlsym(RTLD_NEXT, "MPI_Finalize"))();
}

static int is_ours(const char* path) {
  const char* others[] = {"/proc/", "/sys/", "/dev/", "/etc/", "/usr/", "/lib/"};
  for (unsigned i = 0; path && i < sizeof others / sizeof *others; ++i)
    if (strncmp(path, others[i], strlen(others[i])) == 0) return 0;
  return path != NULL;
}

/* A descriptor whose calls count. */
static int is_file(int descriptor, enum kind kind) {
  struct stat status;
  char link[64], path[4096];
  if ((faulty != kind && faulty != every) || descriptor <= 2 || fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = '\0';
  return is_ours(path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

void* malloc(size_t bytes) { return fails(memory, ENOMEM) ? NULL : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return fails(memory, ENOMEM) ? NULL : __libc_calloc(count, bytes); }
void* realloc(void* old, size_t bytes) { return fails(memory, ENOMEM) ? NULL : __libc_realloc(old, bytes); }
void* aligned_alloc(size_t align, size_t bytes) {
  return fails(memory, ENOMEM) ? NULL : __libc_memalign(align, bytes);
}
int posix_memalign(void** out, size_t align, size_t bytes) {
  if (fails(memory, ENOMEM)) return ENOMEM;
  *out = __libc_memalign(align, bytes);
  return *out ? 0 : ENOMEM;
}

#define OPEN(name)                                                     \
  int name(const char* path, int flags, ...) {                         \
    va_list more;                                                      \
    va_start(more, flags);                                             \
    const mode_t mode = va_arg(more, mode_t);                          \
    va_end(more);                                                      \
    if (is_ours(path) && fails(opening, EIO)) return -1;               \
    return ((int (*)(const char*, int, mode_t))dlsym(RTLD_NEXT, #name))(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define FOPEN(name)                                                 \
  FILE* name(const char* path, const char* mode) {                  \
    return is_ours(path) && fails(opening, EIO) ? NULL : REAL(name)(path, mode); \
  }
FOPEN(fopen)
FOPEN(fopen64)

int mkdir(const char* path, mode_t mode) { return fails(opening, ENOSPC) ? -1 : REAL(mkdir)(path, mode); }

ssize_t write(int descriptor, const void* data, size_t bytes) {
  return is_file(descriptor, writing) && fails(writing, ENOSPC) ? -1 : REAL(write)(descriptor, data, bytes);
}
ssize_t writev(int descriptor, const struct iovec* data, int count) {
  return is_file(descriptor, writing) && fails(writing, ENOSPC) ? -1 : REAL(writev)(descriptor, data, count);
}
ssize_t pwrite(int descriptor, const void* data, size_t bytes, off_t place) {
  return is_file(descriptor, writing) && fails(writing, ENOSPC) ? -1 : REAL(pwrite)(descriptor, data, bytes, place);
}
ssize_t pwrite64(int descriptor, const void* data, size_t bytes, off64_t place) {
  return is_file(descriptor, writing) && fails(writing, ENOSPC) ? -1 : REAL(pwrite64)(descriptor, data, bytes, place);
}
size_t fwrite(const void* data, size_t bytes, size_t count, FILE* file) {
  return is_file(fileno(file), writing) && fails(writing, ENOSPC) ? 0 : REAL(fwrite)(data, bytes, count, file);
}
int fallocate(int descriptor, int mode, off_t place, off_t bytes) {
  return fails(writing, ENOSPC) ? -1 : REAL(fallocate)(descriptor, mode, place, bytes);
}
int fallocate64(int descriptor, int mode, off64_t place, off64_t bytes) {
  return fails(writing, ENOSPC) ? -1 : REAL(fallocate64)(descriptor, mode, place, bytes);
}
int ftruncate(int descriptor, off_t bytes) { return fails(writing, EIO) ? -1 : REAL(ftruncate)(descriptor, bytes); }
int ftruncate64(int descriptor, off64_t bytes) {
  return fails(writing, EIO) ? -1 : REAL(ftruncate64)(descriptor, bytes);
}

ssize_t read(int descriptor, void* data, size_t bytes) {
  return is_file(descriptor, reading) && fails(reading, EIO) ? -1 : REAL(read)(descriptor, data, bytes);
}
ssize_t readv(int descriptor, const struct iovec* data, int count) {
  return is_file(descriptor, reading) && fails(reading, EIO) ? -1 : REAL(readv)(descriptor, data, count);
}
ssize_t pread(int descriptor, void* data, size_t bytes, off_t place) {
  return is_file(descriptor, reading) && fails(reading, EIO) ? -1 : REAL(pread)(descriptor, data, bytes, place);
}
ssize_t pread64(int descriptor, void* data, size_t bytes, off64_t place) {
  return is_file(descriptor, reading) && fails(reading, EIO) ? -1 : REAL(pread64)(descriptor, data, bytes, place);
}
size_t fread(void* data, size_t bytes, size_t count, FILE* file) {
  return is_file(fileno(file), reading) && fails(reading, EIO) ? 0 : REAL(fread)(data, bytes, count, file);
}

/* If closing fails, the descriptor is closed nevertheless. */
int close(int descriptor) {
  const int lost = is_file(descriptor, closing) && fails(closing, EIO);
  const int status = REAL(close)(descriptor);
  if (lost) errno = EIO;
  return lost ? -1 : status;
}
int fclose(FILE* file) {
  const int lost = is_file(fileno(file), closing) && fails(closing, EIO);
  const int status = REAL(fclose)(file);
  if (lost) errno = EIO;
  return lost ? EOF : status;
}

int fsync(int descriptor) { return fails(syncing, EIO) ? -1 : REAL(fsync)(descriptor); }
int fdatasync(int descriptor) { return fails(syncing, EIO) ? -1 : REAL(fdatasync)(descriptor); }
int rename(const char* from, const char* to) { return fails(renaming, EIO) ? -1 : REAL(rename)(from, to); }

/* Whether ranks make this call collectively: if one rank does not, the others wait forever, which no real fault causes. */
static int together(const char* name) {
  const char* calls[] = {"H5Pset_fapl_mpio", "H5Fopen", "H5Fflush", "H5Fclose"};
  for (unsigned i = 0; of_several_ranks() && i < sizeof calls / sizeof *calls; ++i)
    if (strcmp(name, calls[i]) == 0) return 1;
  return 0;
}

/* All arguments are numbers or pointers: the real function takes its own from as many as the longest call has. */
#define HDF5(name)                                                            \
  long name(long a, long b, long c, long d, long e, long f, long g) {         \
    if (!together(#name) && fails(hdf5, EIO)) return -1;                      \
    return ((long (*)(long, long, long, long, long, long, long))dlsym(RTLD_NEXT, #name))(a, b, c, d, e, f, g); \
  }
HDF5(H5Aclose) HDF5(H5Acreate2) HDF5(H5Aexists) HDF5(H5Aget_space) HDF5(H5Aget_type) HDF5(H5Aopen) HDF5(H5Aread)
HDF5(H5Awrite) HDF5(H5Dclose) HDF5(H5Dcreate2) HDF5(H5Dflush) HDF5(H5Dget_create_plist) HDF5(H5Dget_num_chunks)
HDF5(H5Dget_space) HDF5(H5Dget_type) HDF5(H5Dopen2) HDF5(H5Dread) HDF5(H5Dwrite) HDF5(H5Fclose) HDF5(H5Fcreate)
HDF5(H5Fflush) HDF5(H5Fget_name) HDF5(H5Fis_hdf5) HDF5(H5Fopen) HDF5(H5Gclose) HDF5(H5Gcreate2) HDF5(H5Gopen2)
HDF5(H5Lexists) HDF5(H5Lget_info) HDF5(H5Pclose) HDF5(H5Pcreate) HDF5(H5Pget_chunk) HDF5(H5Pget_external_count)
HDF5(H5Pget_layout) HDF5(H5Pget_virtual_count) HDF5(H5Pset_alloc_time) HDF5(H5Pset_chunk) HDF5(H5Pset_fapl_mpio)
HDF5(H5Pset_fclose_degree) HDF5(H5Pset_fill_time) HDF5(H5Pset_fletcher32) HDF5(H5Pset_libver_bounds)
HDF5(H5Pset_virtual_prefix) HDF5(H5Sclose) HDF5(H5Screate) HDF5(H5Screate_simple) HDF5(H5Sget_simple_extent_dims)
HDF5(H5Sget_simple_extent_ndims) HDF5(H5Sget_simple_extent_npoints) HDF5(H5Sselect_hyperslab) HDF5(H5Tclose)
HDF5(H5Tcopy) HDF5(H5Tget_class) HDF5(H5Tis_variable_str) HDF5(H5Tset_size) HDF5(H5Tset_strpad)
