/* A disk that fails, for tests: preloaded into a server, it makes calls on the database and its log fail.

   TTT_FAULTS names a file with one fault: CALL FILE WHAT TIMES, as in "fdatasync log 5 once".
   CALL: pwrite, fdatasync, ftruncate, unlink. FILE: database or log. WHAT: an errno, or "kill",
   which does the call and then kills the process. TIMES: once, which deletes the file with the
   fault, or always.

   TTT_DISK names a folder with what a power cut leaves of the two files: only blocks whose sync
   succeeded. A sync that fails drops the blocks that were to be synced, as Linux may do. */

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BLOCK 4096
#define BLOCKS (1 << 16)

static const char *NAMES[] = {"ttt.sqlite3", "ttt.sqlite3-wal"};
static const char *KINDS[] = {"database", "log"};

static struct {
    ino_t inode;
    int is_fresh, is_unlinked;
    unsigned char dirty[BLOCKS];
} files[2];

static int kind_of_path(const char *path) {
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    for (int kind = 0; kind < 2; kind++)
        if (!strcmp(name, NAMES[kind])) return kind;
    return -1;
}

static int kind_of(int fd) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return -1;
    path[length] = 0;
    return kind_of_path(path);
}

/* 0: no fault; -1: kill after the call; else an errno. */
static int fault(const char *call, int kind) {
    const char *control = getenv("TTT_FAULTS");
    char text[200] = "", on_call[32], on_kind[32], what[32], times[32];
    if (!control || kind < 0) return 0;
    int fd = syscall(SYS_openat, AT_FDCWD, control, O_RDONLY);
    if (fd < 0) return 0;
    ssize_t length = read(fd, text, sizeof text - 1);
    syscall(SYS_close, fd);
    if (length <= 0) return 0;
    if (sscanf(text, "%31s %31s %31s %31s", on_call, on_kind, what, times) != 4) return 0;
    if (strcmp(on_call, call) || strcmp(on_kind, KINDS[kind])) return 0;
    if (!strcmp(times, "once")) syscall(SYS_unlinkat, AT_FDCWD, control, 0);
    return strcmp(what, "kill") ? atoi(what) : -1;
}

static int shadow(int kind) {
    char path[PATH_MAX];
    const char *disk = getenv("TTT_DISK");
    if (!disk) return -1;
    snprintf(path, sizeof path, "%s/%s", disk, NAMES[kind]);
    return syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT, 0600);
}

static void follow(int fd, int kind) {
    struct stat now;
    if (fstat(fd, &now) || now.st_ino == files[kind].inode) return;
    memset(files[kind].dirty, 0, BLOCKS);
    /* the first file that a process touches may be an old one */
    files[kind].is_fresh = files[kind].inode != 0;
    files[kind].inode = now.st_ino;
}

static void wrote(int fd, int kind, off_t at, ssize_t length) {
    if (kind < 0 || length <= 0) return;
    follow(fd, kind);
    for (off_t block = at / BLOCK; block <= (at + length - 1) / BLOCK && block < BLOCKS; block++)
        files[kind].dirty[block] = 1;
}

static void synced(int fd, int kind) {
    char block[BLOCK];
    struct stat now;
    follow(fd, kind);
    int to = shadow(kind);
    if (to < 0 || fstat(fd, &now)) return;
    if (files[kind].is_fresh && syscall(SYS_ftruncate, to, 0)) abort();
    files[kind].is_fresh = files[kind].is_unlinked = 0;
    for (int number = 0; number < BLOCKS; number++) {
        if (!files[kind].dirty[number]) continue;
        off_t at = (off_t)number * BLOCK;
        /* the descriptor may be for writing alone */
        ssize_t length = pread(fd, block, BLOCK, at);
        if (length > 0 && syscall(SYS_pwrite64, to, block, length, at) != length) abort();
    }
    if (syscall(SYS_ftruncate, to, now.st_size)) abort();
    memset(files[kind].dirty, 0, BLOCKS);
    syscall(SYS_close, to);
}

static int fail(int number) {
    errno = number;
    return -1;
}

static void end(void) { kill(getpid(), SIGKILL); }

static ssize_t do_pwrite(int fd, const void *buffer, size_t length, off_t at) {
    int kind = kind_of(fd), found = fault("pwrite", kind);
    if (found > 0) return fail(found);
    ssize_t written = syscall(SYS_pwrite64, fd, buffer, length, at);
    wrote(fd, kind, at, written);
    if (found) end();
    return written;
}

ssize_t pwrite(int fd, const void *buffer, size_t length, off_t at) { return do_pwrite(fd, buffer, length, at); }
ssize_t pwrite64(int fd, const void *buffer, size_t length, off64_t at) { return do_pwrite(fd, buffer, length, at); }

static int do_sync(int fd, long call) {
    struct stat now;
    int kind = kind_of(fd), found = fault("fdatasync", kind);
    if (found > 0) {
        memset(files[kind].dirty, 0, BLOCKS); /* dropped */
        return fail(found);
    }
    int status = syscall(call, fd);
    if (!status && kind >= 0) synced(fd, kind);
    if (!status && kind < 0 && !fstat(fd, &now) && S_ISDIR(now.st_mode))
        for (kind = 0; kind < 2; kind++)
            if (files[kind].is_unlinked && getenv("TTT_DISK")) {
                char path[PATH_MAX];
                snprintf(path, sizeof path, "%s/%s", getenv("TTT_DISK"), NAMES[kind]);
                syscall(SYS_unlinkat, AT_FDCWD, path, 0);
                files[kind].is_unlinked = 0;
            }
    if (found) end();
    return status;
}

int fdatasync(int fd) { return do_sync(fd, SYS_fdatasync); }
int fsync(int fd) { return do_sync(fd, SYS_fsync); }

static int do_truncate(int fd, off_t length) {
    int kind = kind_of(fd), found = fault("ftruncate", kind);
    if (found > 0) return fail(found);
    int status = syscall(SYS_ftruncate, fd, length);
    if (found) end();
    return status;
}

int ftruncate(int fd, off_t length) { return do_truncate(fd, length); }
int ftruncate64(int fd, off64_t length) { return do_truncate(fd, length); }

int unlink(const char *path) {
    int kind = kind_of_path(path), found = fault("unlink", kind);
    if (found > 0) return fail(found);
    int status = syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    if (!status && kind >= 0) files[kind].is_unlinked = 1;
    if (found) end();
    return status;
}
