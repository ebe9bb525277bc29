/* The helper's loop: frames from the runtime, messages from shims, events, signals; and the launcher that starts the runtime. */
#include "helper.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* One started command. Kept until the runtime forgets it, so that a new runtime finds what the old one had. */
struct process {
  struct process *next;
  uint32_t id;
  int control, in, out, err;
  int32_t pid, status;
  uint8_t pty, exited, tree_gone, forgotten;
  char *label; /* what the runtime wants to know of it after a crash */
};

/* What the runtime wants to have again after a crash of its own: the owner's token and environment. Never on disk. */
static char *kept;
static struct process *processes;
static int events = -1, signals = -1;
static uint8_t *inbox;
static size_t inbox_used, inbox_size;

/* Launcher only. */
static char **runtime_argv;
static pid_t runtime_pid;
static int was_ready, stopping;
static time_t started_at;
static int backoff;

enum { TAG_RUNTIME = 1, TAG_SIGNALS, TAG_WATCH };

static void watch(int fd, void *tag) {
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = tag};
  epoll_ctl(events, EPOLL_CTL_ADD, fd, &event);
}

static void close_fd(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

static struct process *find(uint32_t id) {
  for (struct process *p = processes; p; p = p->next)
    if (p->id == id) return p;
  return NULL;
}

static void forget(struct process *gone) {
  for (struct process **at = &processes; *at; at = &(*at)->next) {
    if (*at != gone) continue;
    *at = gone->next;
    break;
  }
  close_fd(&gone->in);
  close_fd(&gone->out);
  close_fd(&gone->err);
  close_fd(&gone->control);
  free(gone->label);
  free(gone);
}

/* The numbers by which the runtime opens the pipes: /proc/<helper>/fd/<n>. */
static void send_started(const struct process *p, int stage, int error) {
  struct writer out = {0};
  put_u32(&out, (uint32_t)p->pid);
  put_u32(&out, (uint32_t)stage);
  put_u32(&out, (uint32_t)error);
  put_u32(&out, (uint32_t)p->in);
  put_u32(&out, (uint32_t)p->out);
  put_u32(&out, (uint32_t)p->err);
  send_frame(FRAME_STARTED, p->id, &out);
  free(out.data);
}

static void send_number(uint8_t type, uint32_t id, uint32_t number) {
  struct writer out = {0};
  put_u32(&out, number);
  send_frame(type, id, &out);
  free(out.data);
}

static void close_all_but(const int *keep, size_t count) {
  int from = 3;
  for (size_t i = 0; i < count; i++) {
    if (keep[i] < 3) continue;
    if (keep[i] > from) syscall(SYS_close_range, from, keep[i] - 1, 0);
    from = keep[i] + 1;
  }
  syscall(SYS_close_range, from, ~0U, 0);
}

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static char **get_strings(struct reader *in) {
  uint32_t count = get_u32(in);
  if (count > 1000000) in->bad = 1;
  char **list = allocate((in->bad ? 1 : (size_t)count + 1) * sizeof *list);
  for (uint32_t i = 0; i < count && !in->bad; i++) list[i] = get_string(in);
  return list;
}

static void free_request(struct spawn_request *r) {
  free(r->groups);
  free(r->argv);
  free(r->envp);
}

static int make_pipe(int ends[2], const struct spawn_request *r) {
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  /* Fewer turns between writer and reader; where it is not granted, the kernel's size does too. */
  fcntl(ends[0], F_SETPIPE_SZ, 256 * 1024);
  /* So that the user may open /dev/stdout again, which a pipe of root refuses. */
  if (geteuid() == 0) (void)!fchown(ends[0], r->uid, r->gid);
  return 0;
}

static void handle_spawn(uint32_t id, struct reader *in) {
  struct spawn_request r = {0};
  uint8_t flags = get_u8(in);
  r.wants_stdin = flags & 1;
  r.wants_pty = (flags & 2) != 0;
  r.no_new_privileges = (flags & 4) != 0;
  r.uid = get_u32(in);
  r.gid = get_u32(in);
  r.cols = get_u16(in);
  r.rows = get_u16(in);
  r.group_count = get_u32(in);
  if (r.group_count > 65536) in->bad = 1;
  r.groups = allocate((in->bad ? 1 : r.group_count) * sizeof *r.groups);
  for (uint32_t i = 0; i < r.group_count && !in->bad; i++) r.groups[i] = get_u32(in);
  r.cwd = get_string(in);
  char *label = get_string(in);
  r.argv = get_strings(in);
  r.envp = get_strings(in);
  struct process *p = allocate(sizeof *p);
  p->id = id;
  p->pty = r.wants_pty;
  p->label = strdup(label);
  p->control = p->in = p->out = p->err = -1;
  int control[2] = {-1, -1}, input[2] = {-1, -1}, output[2] = {-1, -1}, error[2] = {-1, -1};
  int failed = in->bad || !r.argv[0] || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) != 0 ||
               make_pipe(output, &r) != 0 || (!r.wants_pty && make_pipe(error, &r) != 0) ||
               ((r.wants_stdin || r.wants_pty) && make_pipe(input, &r) != 0);
  pid_t shim = failed ? -1 : fork();
  if (shim == 0) {
    struct shim_pipes pipes = {control[1], input[0], output[1], error[1]};
    int keep[] = {control[1], input[0], output[1], error[1]};
    qsort(keep, 4, sizeof *keep, ascending);
    close_all_but(keep, 4);
    run_shim(&r, pipes);
  }
  int problem = in->bad ? EINVAL : errno;
  close_fd(&control[1]);
  close_fd(&input[0]);
  close_fd(&output[1]);
  close_fd(&error[1]);
  p->control = control[0];
  p->in = input[1];
  p->out = output[0];
  p->err = error[0];
  free_request(&r);
  p->next = processes;
  processes = p;
  if (shim < 0) {
    send_started(p, 'f', problem ? problem : EAGAIN);
    forget(p);
    return;
  }
  watch(p->control, p);
}

static void shim_ended(struct process *p) {
  epoll_ctl(events, EPOLL_CTL_DEL, p->control, NULL);
  close_fd(&p->control);
  if (!p->exited) {
    p->exited = 1;
    p->status = SIGKILL;
    send_number(FRAME_EXITED, p->id, (uint32_t)p->status);
  }
  p->tree_gone = 1;
  send_frame(FRAME_TREE_GONE, p->id, NULL);
  if (p->forgotten) forget(p);
}

static void hear_shim(struct process *p) {
  struct shim_message message;
  ssize_t n = recv(p->control, &message, sizeof message, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n != sizeof message) {
    shim_ended(p);
    return;
  }
  if (message.kind == SHIM_STARTED) {
    p->pid = message.a;
    send_started(p, 0, 0);
  } else if (message.kind == SHIM_FAILED) {
    epoll_ctl(events, EPOLL_CTL_DEL, p->control, NULL);
    send_started(p, message.a, message.b);
    forget(p);
  } else if (message.kind == SHIM_EXITED) {
    p->exited = 1;
    p->status = message.a;
    send_number(FRAME_EXITED, p->id, (uint32_t)message.a);
  } else if (message.kind == SHIM_LEFT) {
    send_reply(p->id | 0x80000000u, message.a, NULL);
  }
}

static void tell_shim(struct process *p, uint32_t kind, int32_t a, int32_t b) {
  struct shim_message message = {kind, a, b};
  if (p && p->control >= 0) (void)!send(p->control, &message, sizeof message, MSG_NOSIGNAL);
}

static void handle_list(uint32_t id) {
  struct writer out = {0};
  uint32_t count = 0;
  for (struct process *p = processes; p; p = p->next) count += p->pid != 0 && !p->forgotten;
  put_string(&out, kept ? kept : "");
  put_u32(&out, count);
  for (struct process *p = processes; p; p = p->next) {
    if (!p->pid || p->forgotten) continue;
    put_u32(&out, p->id);
    put_u32(&out, (uint32_t)p->pid);
    put_u8(&out, (uint8_t)(p->exited | p->tree_gone << 1 | p->pty << 2));
    put_u32(&out, (uint32_t)p->status);
    put_u32(&out, (uint32_t)p->in);
    put_u32(&out, (uint32_t)p->out);
    put_u32(&out, (uint32_t)p->err);
    put_string(&out, p->label);
  }
  send_frame(FRAME_LISTED, id, &out);
  free(out.data);
}

static void handle_frame(uint8_t type, uint32_t id, struct reader in) {
  struct process *p = find(id);
  switch (type) {
    case FRAME_SPAWN: handle_spawn(id, &in); break;
    case FRAME_SIGNAL: tell_shim(p, SHIM_SIGNAL, (int32_t)get_u32(&in), 0); break;
    case FRAME_KILL_TREE:
      if (p && p->control >= 0) tell_shim(p, SHIM_KILL_TREE, 0, 0);
      else send_reply(id | 0x80000000u, 0, NULL);
      break;
    case FRAME_RESIZE: {
      int32_t cols = get_u16(&in), rows = get_u16(&in);
      tell_shim(p, SHIM_RESIZE, cols, rows);
      break;
    }
    case FRAME_CLOSE_STDIN: if (p) close_fd(&p->in); break;
    case FRAME_FORGET:
      /* The command's descendants may live on; the shim keeps them and ends with them, or with us. */
      if (!p) break;
      close_fd(&p->in);
      close_fd(&p->out);
      close_fd(&p->err);
      p->forgotten = 1;
      if (p->tree_gone) forget(p);
      break;
    case FRAME_LIST: handle_list(id); break;
    case FRAME_KILL_ALL: send_reply(id, kill_descendants(runtime_pid, 5), NULL); break;
    case FRAME_READY: was_ready = 1; break;
    case FRAME_KEEP:
      free(kept);
      kept = strdup(get_string(&in));
      break;
    case FRAME_WATCH: {
      int before = watch_fd();
      handle_watch(id, &in);
      if (before < 0 && watch_fd() >= 0) watch(watch_fd(), (void *)TAG_WATCH);
      break;
    }
    case FRAME_UNWATCH: handle_unwatch(id, &in); break;
    case FRAME_GET_METADATA: handle_get_metadata(id, &in); break;
    case FRAME_SET_METADATA: handle_set_metadata(id, &in); break;
    case FRAME_SCAN: handle_scan(id, &in); break;
    case FRAME_IPC: handle_ipc(id, &in); break;
  }
}

void runtime_lost(void) {
  if (runtime_socket >= 0) close(runtime_socket);
  runtime_socket = -1;
  inbox_used = 0;
  close_watches();
  if (runtime_argv) return;
  kill_descendants(0, 5);
  exit(0);
}

static void hear_runtime(void) {
  if (inbox_size - inbox_used < 65536) {
    inbox_size = inbox_size * 2 + 131072;
    inbox = realloc(inbox, inbox_size);
    if (!inbox) abort();
  }
  ssize_t n = recv(runtime_socket, inbox + inbox_used, inbox_size - inbox_used, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) {
    runtime_lost();
    return;
  }
  inbox_used += (size_t)n;
  size_t at = 0;
  while (inbox_used - at >= 9) {
    struct reader head = {inbox + at, inbox + at + 9, 0};
    uint32_t length = get_u32(&head);
    uint8_t type = get_u8(&head);
    uint32_t id = get_u32(&head);
    if (inbox_used - at < 9 + (size_t)length) break;
    handle_frame(type, id, (struct reader){inbox + at + 9, inbox + at + 9 + length, 0});
    if (runtime_socket < 0) return;
    at += 9 + (size_t)length;
  }
  memmove(inbox, inbox + at, inbox_used - at);
  inbox_used -= at;
  if (inbox_used == 0 && inbox_size > 1048576) {
    free(inbox);
    inbox = NULL;
    inbox_size = 0;
  }
}

/* Settings of the image for its own Node and its own loader are not meant for ours. */
static void forget_environment(void) {
  static const char *const foreign[] = {"NODE_", "LD_", "OPENSSL_", "SSL_CERT_", "UV_"};
  extern char **environ;
  for (char **at = environ; at && *at;) {
    char name[256];
    size_t length = strcspn(*at, "=");
    int drop = 0;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) drop |= strncmp(*at, foreign[i], strlen(foreign[i])) == 0;
    if (drop && length < sizeof name) {
      memcpy(name, *at, length);
      name[length] = 0;
      unsetenv(name);
    } else at++;
  }
}

static void start_runtime(void) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) exit(71);
  pid_t self = getpid();
  runtime_pid = fork();
  if (runtime_pid < 0) exit(71);
  if (runtime_pid == 0) {
    char fd[16], parent[16];
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    fcntl(pair[1], F_SETFD, 0);
    snprintf(fd, sizeof fd, "%d", pair[1]);
    snprintf(parent, sizeof parent, "%d", self);
    forget_environment();
    setenv("SANDBANK_HELPER_FD", fd, 1);
    setenv("SANDBANK_HELPER_PID", parent, 1);
    execv(runtime_argv[0], runtime_argv);
    fprintf(stderr, "sandbank-runtime: can't run %s: %s\n", runtime_argv[0], strerror(errno));
    _exit(64);
  }
  close(pair[1]);
  runtime_socket = pair[0];
  watch(runtime_socket, (void *)TAG_RUNTIME);
  started_at = time(NULL);
}

static void runtime_ended(int status) {
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  runtime_pid = 0;
  if (stopping || !was_ready || code == 0 || code == 64) {
    kill_descendants(0, 5);
    exit(code);
  }
  if (runtime_socket >= 0) runtime_lost();
  dprintf(2, "{\"level\":\"error\",\"message\":\"the runtime ended with %d and is started again\"}\n", code);
  backoff = time(NULL) - started_at > 10 || backoff == 0 ? 50 : backoff < 5000 ? backoff * 2 : backoff;
  struct timespec pause = {.tv_sec = backoff / 1000, .tv_nsec = backoff % 1000 * 1000000L};
  nanosleep(&pause, NULL);
  start_runtime();
}

static void hear_signals(void) {
  struct signalfd_siginfo info;
  while (read(signals, &info, sizeof info) == sizeof info) {
    if (info.ssi_signo != SIGCHLD) {
      stopping = 1;
      if (runtime_pid > 0) kill(runtime_pid, SIGTERM);
      else {
        kill_descendants(0, 5);
        exit(0);
      }
      continue;
    }
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
      if (pid == runtime_pid) runtime_ended(status);
  }
}

static void run(void) {
  struct epoll_event ready[64];
  for (;;) {
    int count = epoll_wait(events, ready, 64, -1);
    for (int i = 0; i < count; i++) {
      void *tag = ready[i].data.ptr;
      if (tag == (void *)TAG_RUNTIME) {
        if (runtime_socket >= 0) hear_runtime();
      } else if (tag == (void *)TAG_SIGNALS) {
        hear_signals();
      } else if (tag == (void *)TAG_WATCH) {
        if (watch_fd() >= 0) forward_events();
      } else {
        /* A frame handled before in this round may have removed it. */
        for (struct process *p = processes; p; p = p->next) {
          if (p != tag) continue;
          if (p->control >= 0) hear_shim(p);
          break;
        }
      }
    }
  }
}

/* DIR/sandbank-runtime starts DIR/lib/loader --library-path DIR/lib DIR/bin/node FLAGS DIR/runtime.mjs ARGS. */
static char **packed_runtime(int argc, char **argv) {
  static char self[4096], loader[4200], libraries[4200], node[4200], bundle[4200];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n <= 0) {
    const char *name = (const char *)getauxval(AT_EXECFN);
    n = snprintf(self, sizeof self, "%s", name ? name : argv[0]);
  }
  self[n] = 0;
  char *slash = strrchr(self, '/');
  if (slash) *slash = 0;
  snprintf(loader, sizeof loader, "%s/lib/loader", self);
  snprintf(libraries, sizeof libraries, "%s/lib", self);
  snprintf(node, sizeof node, "%s/bin/node", self);
  snprintf(bundle, sizeof bundle, "%s/runtime.mjs", self);
  char **list = allocate((size_t)(argc + 10) * sizeof *list);
  size_t at = 0;
  list[at++] = loader;
  list[at++] = (char *)"--inhibit-cache";
  list[at++] = (char *)"--library-path";
  list[at++] = libraries;
  list[at++] = node;
  /* Young objects are few and die at once; a small nursery keeps what is resident after a load small. */
  list[at++] = (char *)"--max-semi-space-size=2";
  list[at++] = bundle;
  for (int i = 1; i < argc; i++) list[at++] = argv[i];
  return list;
}

int main(int argc, char **argv) {
  const char *name = strrchr(argv[0], '/');
  name = name ? name + 1 : argv[0];
  if (argc == 3 && strcmp(argv[1], "serve") == 0) {
    runtime_socket = atoi(argv[2]);
    fcntl(runtime_socket, F_SETFD, FD_CLOEXEC);
    /* Node made it non-blocking; frames are written whole. */
    fcntl(runtime_socket, F_SETFL, fcntl(runtime_socket, F_GETFL) & ~O_NONBLOCK);
  } else if (argc >= 3 && strcmp(argv[1], "supervise") == 0) {
    runtime_argv = argv + 2;
  } else if (strcmp(name, "sandbank-runtime") == 0) {
    runtime_argv = packed_runtime(argc, argv);
  } else {
    fprintf(stderr, "usage: %s serve FD | supervise COMMAND...\nStarted by sandbank-runtime; see docs/runtime.md.\n", name);
    return 64;
  }
  signal(SIGPIPE, SIG_IGN);
  umask(022);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  if (!runtime_argv) prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGCHLD);
  sigaddset(&mask, SIGTERM);
  sigaddset(&mask, SIGINT);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  events = epoll_create1(EPOLL_CLOEXEC);
  signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
  watch(signals, (void *)TAG_SIGNALS);
  if (runtime_argv) start_runtime();
  else watch(runtime_socket, (void *)TAG_RUNTIME);
  run();
}
