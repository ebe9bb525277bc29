/*
 * What a reset needs to know of the file system, and System V objects and keys it has to remove.
 *
 * A scan gives one record per folder: its path, a digest of itself and of every entry whose inode did not change after a given
 * time, and the names of the entries that did. The change time of an inode can't be set by anybody, so an entry that is new,
 * rewritten, renamed or linked always shows; one that was removed is missing in the digest. Folders change their times with
 * every entry, so for them identity, mode, owner and attributes count instead.
 */
#include "helper.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

struct scan { int64_t seconds; uint32_t nanos; dev_t device; struct writer out; uint32_t folders; };
struct digest { uint64_t a, b; };

static void mix(struct digest *d, const void *bytes, size_t count) {
  const uint8_t *at = bytes;
  for (size_t i = 0; i < count; i++) {
    d->a = (d->a ^ at[i]) * 0x100000001b3u;
    d->b = (d->b + at[i] + 1) * 0x9e3779b97f4a7c15u;
    d->b ^= d->b >> 29;
  }
}

static void mix_number(struct digest *d, uint64_t number) { mix(d, &number, sizeof number); }

/* Sums of entries: the order in which the kernel lists them does not matter. */
static void add(struct digest *sum, struct digest entry) {
  sum->a += entry.a;
  sum->b += entry.b;
}

static struct digest digest_of(const char *name, const struct stat *s) {
  struct digest d = {0xcbf29ce484222325u, 0x243f6a8885a308d3u};
  mix(&d, name, strlen(name) + 1);
  mix_number(&d, s->st_mode);
  mix_number(&d, (uint64_t)s->st_uid << 32 | s->st_gid);
  /* The number of a folder may change on an overlay without any other change. */
  if (S_ISDIR(s->st_mode)) return d;
  mix_number(&d, s->st_ino);
  mix_number(&d, s->st_rdev);
  /* Terminals and pipes change their times with every use. */
  if (!S_ISREG(s->st_mode) && !S_ISLNK(s->st_mode)) return d;
  mix_number(&d, (uint64_t)s->st_size);
  mix_number(&d, s->st_nlink);
  mix_number(&d, (uint64_t)s->st_mtim.tv_sec << 30 ^ (uint64_t)s->st_mtim.tv_nsec);
  mix_number(&d, (uint64_t)s->st_ctim.tv_sec << 30 ^ (uint64_t)s->st_ctim.tv_nsec);
  return d;
}

static void add_attributes(struct digest *sum, int folder) {
  static char names[65536], value[65536];
  ssize_t size = flistxattr(folder, names, sizeof names);
  for (char *name = names; size > 0 && name < names + size; name += strlen(name) + 1) {
    struct digest d = {1, 2};
    ssize_t length = fgetxattr(folder, name, value, sizeof value);
    mix(&d, name, strlen(name) + 1);
    if (length > 0) mix(&d, value, (size_t)length);
    add(sum, d);
  }
}

static int is_new(const struct scan *scan, const struct stat *s) {
  int64_t seconds = s->st_ctim.tv_sec;
  return seconds > scan->seconds || (seconds == scan->seconds && (uint32_t)s->st_ctim.tv_nsec > scan->nanos);
}

struct names { char **list; size_t count, size; };

static void remember(struct names *names, const char *name) {
  if (names->count == names->size) {
    names->size = names->size * 2 + 8;
    names->list = realloc(names->list, names->size * sizeof *names->list);
    if (!names->list) abort();
  }
  names->list[names->count++] = strdup(name);
}

static void forget_names(struct names *names) {
  for (size_t i = 0; i < names->count; i++) free(names->list[i]);
  free(names->list);
}

/* `path` has room for what is appended; -1 for a path that is too long, which the runtime takes as dirt. */
static int scan_folder(struct scan *scan, int parent, const char *name, char *path, size_t length) {
  int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NOATIME);
  if (fd < 0) fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat self;
  if (fd < 0 || fstat(fd, &self) != 0) return -1;
  if (self.st_dev != scan->device) {
    close(fd);
    return 0;
  }
  struct digest sum = digest_of("", &self);
  add_attributes(&sum, fd);
  struct names fresh = {0}, below = {0};
  DIR *folder = fdopendir(fd);
  int failed = 0;
  for (struct dirent *each; folder && (each = readdir(folder));) {
    struct stat s;
    if (strcmp(each->d_name, ".") == 0 || strcmp(each->d_name, "..") == 0) continue;
    if (fstatat(fd, each->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISDIR(s.st_mode)) remember(&below, each->d_name);
    else if (is_new(scan, &s)) remember(&fresh, each->d_name);
    else add(&sum, digest_of(each->d_name, &s));
  }
  put_string(&scan->out, length ? path : "/");
  put_u64(&scan->out, sum.a);
  put_u64(&scan->out, sum.b);
  put_u32(&scan->out, (uint32_t)fresh.count);
  for (size_t i = 0; i < fresh.count; i++) put_string(&scan->out, fresh.list[i]);
  scan->folders++;
  for (size_t i = 0; i < below.count && !failed; i++) {
    size_t more = strlen(below.list[i]);
    if (length + more + 2 > 65536) failed = -1;
    else {
      path[length] = '/';
      memcpy(path + length + 1, below.list[i], more + 1);
      failed = scan_folder(scan, fd, below.list[i], path, length + 1 + more);
      /* Folders come and go under a living system; one that can't be entered is missing in the answer, and that shows. */
      if (failed && (errno == ENOENT || errno == EACCES || errno == EPERM)) failed = 0;
      path[length] = 0;
    }
  }
  forget_names(&fresh);
  forget_names(&below);
  if (folder) closedir(folder);
  return failed;
}

/* Input: time (u32 low, u32 high seconds, u32 nanoseconds), then the roots. Each root is scanned without crossing mounts. */
void handle_scan(uint32_t id, struct reader *in) {
  struct scan scan = {0};
  uint64_t low = get_u32(in), high = get_u32(in);
  scan.seconds = (int64_t)(low | high << 32);
  scan.nanos = get_u32(in);
  uint32_t count = get_u32(in);
  char *path = allocate(65536 + 8);
  int failed = 0;
  put_u32(&scan.out, 0);
  for (uint32_t i = 0; i < count && !in->bad && !failed; i++) {
    char *root = get_string(in);
    struct stat s;
    size_t length = strlen(root);
    while (length > 0 && root[length - 1] == '/') length--;
    if (length > 4096 || lstat(root, &s) != 0) {
      failed = -1;
      break;
    }
    memcpy(path, root, length);
    path[length] = 0;
    scan.device = s.st_dev;
    failed = scan_folder(&scan, AT_FDCWD, root, path, length);
  }
  int error = in->bad ? EINVAL : failed ? (errno ? errno : EIO) : 0;
  memcpy(scan.out.data, &scan.folders, 4);
  send_reply(id, error, &scan.out);
  free(path);
  free(scan.out.data);
}

/* Keys of a user outlive its processes. A child enters the user, because only the user may clear them. */
static int clear_keys(uint32_t uid) {
  pid_t child = fork();
  if (child == 0) {
    if (setresuid(uid, uid, uid) != 0) _exit(errno);
    for (int ring = -5; ring <= -4; ring++)
      if (syscall(SYS_keyctl, 7 /* KEYCTL_CLEAR */, ring) != 0 && errno != ENOKEY && errno != ENOSYS && errno != EPERM) _exit(errno);
    _exit(0);
  }
  int status;
  if (child < 0 || waitpid(child, &status, 0) < 0) return errno;
  return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

/* Input: kind, id. Removes one System V object, or the keys of a user. */
void handle_ipc(uint32_t id, struct reader *in) {
  uint8_t kind = get_u8(in);
  uint32_t which = get_u32(in);
  int failed = 0;
  errno = 0;
  if (kind == 'm') failed = shmctl((int)which, IPC_RMID, NULL);
  else if (kind == 'q') failed = msgctl((int)which, IPC_RMID, NULL);
  else if (kind == 's') failed = semctl((int)which, 0, IPC_RMID);
  else if (kind == 'k') {
    send_reply(id, clear_keys(which), NULL);
    return;
  } else {
    failed = -1;
    errno = EINVAL;
  }
  send_reply(id, failed ? errno : 0, NULL);
}
