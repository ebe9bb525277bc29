/* Killing everything that descends from this process, found in /proc by parent ids. */
#include "helper.h"
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct entry { pid_t pid, parent; char state, mine; };
struct table { struct entry *entries; size_t count, size; };

/* The command name may hold anything, also `) R 1 (`: the fields begin after the last parenthesis. */
static int read_entry(pid_t pid, struct entry *entry) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  if (n <= 0) return -1;
  text[n] = 0;
  char *fields = strrchr(text, ')');
  int parent;
  if (!fields || sscanf(fields + 1, " %c %d", &entry->state, &parent) != 2) return -1;
  entry->pid = pid;
  entry->parent = parent;
  entry->mine = 0;
  return 0;
}

static void read_table(struct table *table) {
  table->count = 0;
  DIR *proc = opendir("/proc");
  if (!proc) return;
  for (struct dirent *each; (each = readdir(proc));) {
    pid_t pid = atoi(each->d_name);
    if (pid <= 0) continue;
    if (table->count == table->size) {
      table->size = table->size * 2 + 256;
      table->entries = realloc(table->entries, table->size * sizeof *table->entries);
      if (!table->entries) abort();
    }
    if (read_entry(pid, &table->entries[table->count]) == 0) table->count++;
  }
  closedir(proc);
}

static int is_mine(const struct table *table, pid_t pid, pid_t self) {
  if (pid == self) return 1;
  for (size_t i = 0; i < table->count; i++)
    if (table->entries[i].pid == pid) return table->entries[i].mine;
  return 0;
}

/* Marks descendants until a pass adds none. Gives the number of those that live. */
static int mark_descendants(struct table *table, pid_t spare) {
  pid_t self = getpid();
  int living = 0;
  for (int changed = 1; changed;) {
    changed = 0;
    for (size_t i = 0; i < table->count; i++) {
      struct entry *e = &table->entries[i];
      if (e->mine || e->pid == self || e->pid == spare || !is_mine(table, e->parent, self)) continue;
      e->mine = 1;
      changed = 1;
      if (e->state != 'Z' && e->state != 'X') living++;
    }
  }
  return living;
}

static void signal_marked(const struct table *table, int signal) {
  for (size_t i = 0; i < table->count; i++)
    if (table->entries[i].mine) kill(table->entries[i].pid, signal);
}

static void reap(void) {
  while (waitpid(-1, NULL, WNOHANG) > 0) {}
}

int kill_descendants(pid_t spare, int seconds) {
  struct table table = {0};
  struct timespec pause = {.tv_nsec = 2000000};
  time_t end = time(NULL) + seconds + 1;
  int living;
  for (;;) {
    read_table(&table);
    living = mark_descendants(&table, spare);
    if (living == 0 || time(NULL) > end) break;
    /* Stopped first: what multiplies while we kill one after the other would win otherwise. */
    signal_marked(&table, SIGSTOP);
    signal_marked(&table, SIGKILL);
    nanosleep(&pause, NULL);
    if (spare == 0) reap();
  }
  free(table.entries);
  return living;
}
