/* The parent of one started command: enters the user, runs the command, reaps what descends from it, moves terminal bytes. */
#include "helper.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int control;

static void tell(uint32_t kind, int32_t a, int32_t b) {
  struct shim_message message = {kind, a, b};
  while (send(control, &message, sizeof message, MSG_NOSIGNAL) < 0 && errno == EINTR) {}
}

static void reset_signals(void) {
  for (int signal = 1; signal < 32; signal++) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(signal, &action, NULL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

/* What a command may use up is killed before the runtime is. e2b 3.3 */
static void raise_oom_score(void) {
  char text[16] = {0};
  int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  if (read(fd, text, sizeof text - 1) > 0 && atoi(text) < 100) (void)!write(fd, "100", 3);
  close(fd);
}

static const char *variable(char **envp, const char *name) {
  size_t length = strlen(name);
  for (; *envp; envp++)
    if (strncmp(*envp, name, length) == 0 && (*envp)[length] == '=') return *envp + length + 1;
  return NULL;
}

/* execve, and for a file without an interpreter line the shell, as execvp does. */
static int try_exec(const char *path, char **argv, char **envp) {
  execve(path, argv, envp);
  if (errno != ENOEXEC) return errno;
  size_t count = 0;
  while (argv[count]) count++;
  char **shell = allocate((count + 2) * sizeof *shell);
  shell[0] = (char *)"/bin/sh";
  shell[1] = (char *)path;
  for (size_t i = 1; i <= count; i++) shell[i + 1] = argv[i];
  execve(shell[0], shell, envp);
  return ENOEXEC;
}

static int search_exec(char **argv, char **envp) {
  if (!*argv[0]) return ENOENT;
  if (strchr(argv[0], '/')) return try_exec(argv[0], argv, envp);
  const char *path = variable(envp, "PATH");
  if (!path) path = "/usr/local/bin:/usr/bin:/bin";
  int denied = 0;
  for (;;) {
    size_t length = strcspn(path, ":");
    char candidate[4096];
    int n = snprintf(candidate, sizeof candidate, "%.*s%s%s", (int)length, path, length ? "/" : "", argv[0]);
    if (n < (int)sizeof candidate) {
      int error = try_exec(candidate, argv, envp);
      if (error == EACCES) denied = 1;
      else if (error != ENOENT && error != ENOTDIR) return error;
    }
    if (!path[length]) return denied ? EACCES : ENOENT;
    path += length + 1;
  }
}

static void fail(int report, int stage) {
  int failure[2] = {stage, errno};
  (void)!write(report, failure, sizeof failure);
  _exit(127);
}

static void run_command(const struct spawn_request *r, struct shim_pipes p, int slave, int report) __attribute__((noreturn));
static void run_command(const struct spawn_request *r, struct shim_pipes p, int slave, int report) {
  reset_signals();
  raise_oom_score();
  if (r->wants_pty) {
    setsid();
    if (ioctl(slave, TIOCSCTTY, 0) != 0) fail(report, 't');
    p.in = p.out = p.err = slave;
  }
  if (p.in < 0) p.in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (p.in < 0) p.in = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC); /* an image without /dev: anything but a closed 0 */
  if (dup2(p.in, 0) < 0 || dup2(p.out, 1) < 0 || dup2(p.err, 2) < 0) fail(report, 'f');
  umask(022);
  if (geteuid() == 0) {
    if (setgroups(r->group_count, r->groups) != 0) fail(report, 'g');
    if (setresgid(r->gid, r->gid, r->gid) != 0) fail(report, 'g');
    if (setresuid(r->uid, r->uid, r->uid) != 0) fail(report, 'u');
  } else if (r->uid != geteuid()) {
    errno = EPERM;
    fail(report, 'u');
  }
  if (r->no_new_privileges) prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (chdir(r->cwd) != 0) fail(report, 'c');
  int error = search_exec(r->argv, r->envp);
  /* The command can't be run: it has a pid, says why on its own stderr, and ends like a shell would end it. */
  dprintf(2, "sandbank-runtime: '%s': %s\n", r->argv[0], strerror(error));
  _exit(error == ENOENT || error == ENOTDIR ? 127 : 126);
}

static int open_terminal(const struct spawn_request *r, int *slave) {
  int master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (master < 0) return -1;
  int unlock = 0;
  unsigned number = 0;
  char name[32];
  if (ioctl(master, TIOCSPTLCK, &unlock) != 0 || ioctl(master, TIOCGPTN, &number) != 0) return -1;
  snprintf(name, sizeof name, "/dev/pts/%u", number);
  *slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (*slave < 0) return -1;
  if (geteuid() == 0) (void)!fchown(*slave, r->uid, r->gid);
  fchmod(*slave, 0620);
  struct winsize size = {.ws_col = r->cols, .ws_row = r->rows};
  ioctl(master, TIOCSWINSZ, &size);
  return master;
}

struct pump { int from, to; size_t start, end; char bytes[16 * 1024]; };

static int pump_wants(const struct pump *p) { return p->start < p->end ? POLLOUT : POLLIN; }

/* Moves what can be moved now. -1: the source has ended. */
static int pump_move(struct pump *p) {
  for (;;) {
    if (p->start == p->end) {
      ssize_t n = read(p->from, p->bytes, sizeof p->bytes);
      if (n < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
      if (n <= 0) return -1;
      p->start = 0;
      p->end = (size_t)n;
    }
    ssize_t n = write(p->to, p->bytes + p->start, p->end - p->start);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (n < 0) p->start = p->end; /* nobody reads any more: keep draining */
    else p->start += (size_t)n;
  }
}

struct shim { pid_t child; int exited, childless, master; struct pump *output, *input; };

static void reap(struct shim *s) {
  for (;;) {
    int status;
    pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == ECHILD) s->childless = 1;
    if (pid <= 0) return;
    if (pid == s->child) {
      s->exited = 1;
      tell(SHIM_EXITED, status, 0);
    }
  }
}

static void kill_tree(struct shim *s) {
  int left = kill_descendants(-1, 5);
  reap(s);
  tell(SHIM_LEFT, left, 0);
}

/* False when the helper is gone. */
static int obey(struct shim *s) {
  struct shim_message message;
  ssize_t n = recv(control, &message, sizeof message, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return 1;
  if (n != sizeof message) return 0;
  if (message.kind == SHIM_SIGNAL && !s->exited) kill(s->child, message.a);
  if (message.kind == SHIM_KILL_TREE) kill_tree(s);
  if (message.kind == SHIM_RESIZE && s->master >= 0) {
    struct winsize size = {.ws_col = (unsigned short)message.a, .ws_row = (unsigned short)message.b};
    ioctl(s->master, TIOCSWINSZ, &size);
  }
  return 1;
}

static void end_output(struct shim *s) {
  if (!s->output) return;
  close(s->output->to);
  free(s->output);
  s->output = NULL;
}

static void watch_over(struct shim *s, int signals) {
  while (!(s->exited && s->childless && !s->output)) {
    struct pollfd fds[4] = {{.fd = signals, .events = POLLIN}, {.fd = control, .events = POLLIN}, {.fd = -1}, {.fd = -1}};
    int patience = -1;
    if (s->output) {
      int wants = pump_wants(s->output);
      fds[2].fd = wants == POLLIN ? s->output->from : s->output->to;
      fds[2].events = (short)wants;
    }
    if (s->input) {
      int wants = pump_wants(s->input);
      fds[3].fd = wants == POLLIN ? s->input->from : s->input->to;
      fds[3].events = (short)wants;
    }
    poll(fds, 4, patience);
    struct signalfd_siginfo info;
    if (fds[0].revents && read(signals, &info, sizeof info) == sizeof info) {
      if (info.ssi_signo == SIGTERM) break;
      reap(s);
    }
    if (fds[1].revents && !obey(s)) break;
    if (s->output && (fds[2].revents || s->exited) && pump_move(s->output) < 0) {
      /* EIO: no process has the terminal open. Before the command's end somebody may open it again; not waited for. */
      end_output(s);
    }
    if (s->input && fds[3].revents && pump_move(s->input) < 0) {
      close(s->input->from);
      free(s->input);
      s->input = NULL;
    }
  }
}

void run_shim(const struct spawn_request *request, struct shim_pipes pipes) {
  control = pipes.control;
  prctl(PR_SET_NAME, "sandbank-shim", 0, 0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGCHLD);
  sigaddset(&mask, SIGTERM);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  int signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
  struct shim s = {.master = -1};
  int slave = -1, report[2];
  if (request->wants_pty && (s.master = open_terminal(request, &slave)) < 0) {
    tell(SHIM_FAILED, 't', errno);
    _exit(1);
  }
  if (pipe2(report, O_CLOEXEC) != 0 || (s.child = fork()) < 0) {
    tell(SHIM_FAILED, 'f', errno);
    _exit(1);
  }
  if (s.child == 0) run_command(request, pipes, slave, report[1]);
  close(report[1]);
  int failure[2];
  ssize_t n;
  while ((n = read(report[0], failure, sizeof failure)) < 0 && errno == EINTR) {}
  close(report[0]);
  if (n == sizeof failure) {
    tell(SHIM_FAILED, failure[0], failure[1]);
    _exit(1);
  }
  tell(SHIM_STARTED, s.child, 0);
  if (request->wants_pty) {
    s.output = allocate(sizeof *s.output);
    s.input = allocate(sizeof *s.input);
    s.output->from = s.input->to = s.master;
    s.output->to = pipes.out;
    s.input->from = pipes.in;
    fcntl(pipes.out, F_SETFL, O_NONBLOCK);
    fcntl(pipes.in, F_SETFL, O_NONBLOCK);
    close(slave);
  } else {
    if (pipes.in >= 0) close(pipes.in);
    close(pipes.out);
    close(pipes.err);
  }
  watch_over(&s, signals);
  if (!s.childless) kill_descendants(-1, 5);
  _exit(0);
}
