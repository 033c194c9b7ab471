/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preloaded into a program: lets one call of the system fail, as a full disk, a broken one or too little memory do.
 *   FAULT_KIND   memory, open, write, sync or rename
 *   FAULT_AT     the number of the call that fails, from 1; 0: none
 *   FAULT_AFTER  1: every later call of its kind fails too
 *   FAULT_COUNT  file that gets the number of calls of this kind, at exit
 * Calls that concern the terminal, pipes and what lies in /proc, /sys, /dev, /etc, /usr and /lib do not count. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { none, memory, opening, writing, syncing, renaming };

static enum kind faulty = none;
static long at = 0, after = 0;
static atomic_long calls = 0;

static enum kind kind_named(const char* name) {
  const char* names[] = {"none", "memory", "open", "write", "sync", "rename"};
  for (int k = memory; k <= renaming; ++k)
    if (name && strcmp(name, names[k]) == 0) return (enum kind)k;
  return none;
}

static int (*real_main)(int, char**, char**);

/* Faults begin with main: what the loader and static objects do before cannot be told to anybody. */
static int counted_main(int argc, char** argv, char** environment) {
  const char *number = getenv("FAULT_AT"), *later = getenv("FAULT_AFTER");
  at = number ? atol(number) : 0;
  after = later && *later == '1';
  faulty = kind_named(getenv("FAULT_KIND"));
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
  const long count = calls;
  faulty = none;
  FILE* file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "%ld\n", count);
  fclose(file);
}

static int fails(enum kind kind, int error) {
  if (kind != faulty) return 0;
  const long call = ++calls;
  if (at == 0 || call < at || (call > at && !after)) return 0;
  errno = error;
  return 1;
}

/* No faults while MPI begins and ends: it ends the program in its own ways. */
int MPI_Init_thread(void* arguments, void* texts, int wanted, int* provided) {
  const enum kind kept = faulty;
  faulty = none;
  const int status = ((int (*)(void*, void*, int, int*))dlsym(RTLD_NEXT, "MPI_Init_thread"))(arguments, texts, wanted, provided);
  faulty = kept;
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

static int is_file(int descriptor) {
  struct stat status;
  return faulty == writing && descriptor > 2 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
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
  return is_file(descriptor) && fails(writing, ENOSPC) ? -1 : REAL(write)(descriptor, data, bytes);
}
ssize_t writev(int descriptor, const struct iovec* data, int count) {
  return is_file(descriptor) && fails(writing, ENOSPC) ? -1 : REAL(writev)(descriptor, data, count);
}
ssize_t pwrite(int descriptor, const void* data, size_t bytes, off_t place) {
  return is_file(descriptor) && fails(writing, ENOSPC) ? -1 : REAL(pwrite)(descriptor, data, bytes, place);
}
ssize_t pwrite64(int descriptor, const void* data, size_t bytes, off64_t place) {
  return is_file(descriptor) && fails(writing, ENOSPC) ? -1 : REAL(pwrite64)(descriptor, data, bytes, place);
}
size_t fwrite(const void* data, size_t bytes, size_t count, FILE* file) {
  return is_file(fileno(file)) && fails(writing, ENOSPC) ? 0 : REAL(fwrite)(data, bytes, count, file);
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

int fsync(int descriptor) { return fails(syncing, EIO) ? -1 : REAL(fsync)(descriptor); }
int fdatasync(int descriptor) { return fails(syncing, EIO) ? -1 : REAL(fdatasync)(descriptor); }
int rename(const char* from, const char* to) { return fails(renaming, EIO) ? -1 : REAL(rename)(from, to); }
