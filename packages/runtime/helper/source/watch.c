/* One inotify instance for all watchers of the runtime (the kernel allows few); events go to it as the kernel gives them. */
#include "helper.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

static int notify = -1;

/* IN_CLOSE_WRITE and reads are not asked for: the original tells neither. */
static const uint32_t interest = IN_CREATE | IN_MODIFY | IN_ATTRIB | IN_DELETE | IN_DELETE_SELF | IN_MOVED_FROM | IN_MOVED_TO | IN_MOVE_SELF;

int watch_fd(void) { return notify; }

void handle_watch(uint32_t id, struct reader *in) {
  char *path = get_string(in);
  if (notify < 0) notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  int watch = notify < 0 ? -1 : inotify_add_watch(notify, path, interest | IN_ONLYDIR);
  struct writer out = {0};
  put_u32(&out, (uint32_t)watch);
  send_reply(id, watch < 0 ? errno : 0, &out);
  free(out.data);
}

void handle_unwatch(uint32_t id, struct reader *in) {
  (void)id;
  if (notify >= 0) inotify_rm_watch(notify, (int)get_u32(in));
}

void forward_events(void) {
  static char events[32 * 1024];
  ssize_t n = read(notify, events, sizeof events);
  if (n <= 0) return;
  struct writer out = {0};
  put_bytes(&out, events, (size_t)n);
  send_frame(FRAME_EVENTS, 0, &out);
  free(out.data);
}

void close_watches(void) {
  if (notify >= 0) close(notify);
  notify = -1;
}
