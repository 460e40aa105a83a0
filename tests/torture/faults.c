/* Makes writing fail below TORTURE_FOLDER: the calls after the first TORTURE_AFTER return errno TORTURE_ERRNO, all of
   them, or with TORTURE_ONCE one of them; with TORTURE_SHORT a write writes half of its bytes instead. To shorten a file
   never fails: a full disk allows it, and DuckDB aborts where it fails (SECURITY.md). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;

static int is_due(int fd) {
    const char *after = getenv("TORTURE_AFTER"), *folder = getenv("TORTURE_FOLDER");
    if (!after || !folder) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    if (strncmp(path, folder, strlen(folder))) return 0;
    long number = atomic_fetch_add(&calls, 1), least = atol(after);
    return getenv("TORTURE_ONCE") ? number == least : number >= least;
}

static int failed(void) {
    const char *given = getenv("TORTURE_ERRNO");
    errno = given ? atoi(given) : ENOSPC;
    return -1;
}

static int may_fail(int fd, off64_t size) {
    struct stat now;
    return !getenv("TORTURE_SHORT") && fstat(fd, &now) == 0 && size > now.st_size;
}

#define REAL(name, type, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

ssize_t write(int fd, const void *data, size_t size) {
    REAL("write", ssize_t, int, const void *, size_t);
    if (!is_due(fd)) return real(fd, data, size);
    return getenv("TORTURE_SHORT") && size > 1 ? real(fd, data, size / 2) : failed();
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    REAL("pwrite", ssize_t, int, const void *, size_t, off_t);
    if (!is_due(fd)) return real(fd, data, size, at);
    return getenv("TORTURE_SHORT") && size > 1 ? real(fd, data, size / 2, at) : failed();
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    REAL("pwrite64", ssize_t, int, const void *, size_t, off64_t);
    if (!is_due(fd)) return real(fd, data, size, at);
    return getenv("TORTURE_SHORT") && size > 1 ? real(fd, data, size / 2, at) : failed();
}

int fsync(int fd) {
    REAL("fsync", int, int);
    return is_due(fd) && !getenv("TORTURE_SHORT") ? failed() : real(fd);
}

int fdatasync(int fd) {
    REAL("fdatasync", int, int);
    return is_due(fd) && !getenv("TORTURE_SHORT") ? failed() : real(fd);
}

int ftruncate(int fd, off_t size) {
    REAL("ftruncate", int, int, off_t);
    return is_due(fd) && may_fail(fd, size) ? failed() : real(fd, size);
}

int ftruncate64(int fd, off64_t size) {
    REAL("ftruncate64", int, int, off64_t);
    return is_due(fd) && may_fail(fd, size) ? failed() : real(fd, size);
}
