/*
 * The helper does what Node can't: it starts processes under another user with all their groups, on pipes or on a terminal,
 * keeps them (and their pipes) alive when the runtime crashes, reaps, kills whole trees, watches folders, reads extended
 * attributes and scans the file system for a reset. It is one static program without dependencies.
 *
 * Three kinds of processes run this program:
 *   helper   one per runtime; talks to it by frames on a stream socket
 *   shim     one per started command; its parent and subreaper, so every descendant stays below it
 *   launcher the helper again, started as pid 1 or by the image: starts the runtime and starts it again after a crash
 */
#ifndef SANDBANK_HELPER_H
#define SANDBANK_HELPER_H

#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Frames in both directions: u32 length of what follows the id, u8 type, u32 id; little endian. See helper/protocol.ts. */
enum frame {
  FRAME_SPAWN = 'S', FRAME_SIGNAL = 'K', FRAME_KILL_TREE = 'T', FRAME_RESIZE = 'R', FRAME_CLOSE_STDIN = 'C',
  FRAME_FORGET = 'F', FRAME_LIST = 'L', FRAME_KILL_ALL = 'Q', FRAME_READY = 'H', FRAME_KEEP = 'N', FRAME_WATCH = 'W', FRAME_UNWATCH = 'U',
  FRAME_GET_METADATA = 'X', FRAME_SET_METADATA = 'Y', FRAME_SCAN = 'B', FRAME_IPC = 'I',
  FRAME_STARTED = 's', FRAME_EXITED = 'e', FRAME_TREE_GONE = 't', FRAME_EVENTS = 'i', FRAME_REPLY = 'r', FRAME_LISTED = 'l'
};

struct reader { const uint8_t *at, *end; int bad; };
uint8_t get_u8(struct reader *in);
uint16_t get_u16(struct reader *in);
uint32_t get_u32(struct reader *in);
/* Strings carry their length and end with a NUL that is not counted. */
char *get_string(struct reader *in);

struct writer { uint8_t *data; size_t used, size; };
void put_u8(struct writer *out, uint8_t value);
void put_u32(struct writer *out, uint32_t value);
void put_u64(struct writer *out, uint64_t value);
void put_bytes(struct writer *out, const void *bytes, size_t count);
void put_string(struct writer *out, const char *text);
void send_frame(uint8_t type, uint32_t id, const struct writer *body);
void send_reply(uint32_t id, int error, const struct writer *body);

/* The socket to the runtime; -1 while there is none. */
extern int runtime_socket;
void runtime_lost(void);

int write_all(int fd, const void *bytes, size_t count);
void *allocate(size_t size);

/* Processes. */
struct spawn_request {
  uint8_t wants_stdin, wants_pty, no_new_privileges;
  uint32_t uid, gid, group_count;
  gid_t *groups;
  uint16_t cols, rows;
  char *cwd, **argv, **envp;
};
struct shim_pipes { int control, in, out, err; };
void run_shim(const struct spawn_request *request, struct shim_pipes pipes) __attribute__((noreturn));

/* Messages between helper and shim, on a SOCK_SEQPACKET pair. */
struct shim_message { uint32_t kind; int32_t a, b; };
enum { SHIM_STARTED = 1, SHIM_FAILED, SHIM_EXITED, SHIM_LEFT, SHIM_SIGNAL, SHIM_KILL_TREE, SHIM_RESIZE };

/* Kills all descendants of this process except the tree below `spare`; gives the number that is left after `seconds`. */
int kill_descendants(pid_t spare, int seconds);

void handle_watch(uint32_t id, struct reader *in);
void handle_unwatch(uint32_t id, struct reader *in);
int watch_fd(void);
void forward_events(void);
void close_watches(void);

void handle_get_metadata(uint32_t id, struct reader *in);
void handle_set_metadata(uint32_t id, struct reader *in);
void handle_scan(uint32_t id, struct reader *in);
void handle_ipc(uint32_t id, struct reader *in);

#endif
