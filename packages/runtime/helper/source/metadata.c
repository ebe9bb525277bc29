/* Metadata of files: extended attributes `user.e2b.<key>`. e2b 3.5 */
#include "helper.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

static const char prefix[] = "user.e2b.";
#define PREFIX (sizeof prefix - 1)

/* The attribute names of a path, NUL after each; NULL if there are none or the file system has none. */
static char *names_of(const char *path, ssize_t *size) {
  *size = listxattr(path, NULL, 0);
  if (*size <= 0) return NULL;
  char *names = allocate((size_t)*size);
  *size = listxattr(path, names, (size_t)*size);
  if (*size > 0) return names;
  free(names);
  return NULL;
}

static void put_pairs(struct writer *out, const char *path) {
  ssize_t size;
  char *names = names_of(path, &size);
  size_t count_at = out->used;
  uint32_t count = 0;
  put_u32(out, 0);
  for (char *name = names; name && name < names + size; name += strlen(name) + 1) {
    char value[4097];
    if (strncmp(name, prefix, PREFIX) != 0) continue;
    ssize_t length = getxattr(path, name, value, sizeof value - 1);
    if (length < 0) continue;
    value[length] = 0;
    put_string(out, name + PREFIX);
    put_string(out, value);
    count++;
  }
  memcpy(out->data + count_at, &count, 4);
  free(names);
}

void handle_get_metadata(uint32_t id, struct reader *in) {
  struct writer out = {0};
  uint32_t count = get_u32(in);
  for (uint32_t i = 0; i < count && !in->bad; i++) put_pairs(&out, get_string(in));
  send_reply(id, in->bad ? EINVAL : 0, &out);
  free(out.data);
}

/* The new set replaces the old one. */
void handle_set_metadata(uint32_t id, struct reader *in) {
  char *path = get_string(in);
  uint32_t count = get_u32(in);
  ssize_t size;
  int error = 0;
  char *names = names_of(path, &size);
  for (char *name = names; name && name < names + size; name += strlen(name) + 1)
    if (strncmp(name, prefix, PREFIX) == 0 && removexattr(path, name) != 0) error = errno;
  free(names);
  for (uint32_t i = 0; i < count && !in->bad && !error; i++) {
    char *key = get_string(in), *value = get_string(in);
    char *name = allocate(PREFIX + strlen(key) + 1);
    strcpy(name, prefix);
    strcat(name, key);
    if (setxattr(path, name, value, strlen(value), 0) != 0) error = errno;
    free(name);
  }
  send_reply(id, in->bad ? EINVAL : error, NULL);
}
