/* Frames: reading numbers and strings out of them, writing them to the runtime. */
#include "helper.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

int runtime_socket = -1;

void *allocate(size_t size) {
  void *memory = calloc(1, size ? size : 1);
  if (!memory) abort();
  return memory;
}

static const uint8_t *take(struct reader *in, size_t count) {
  if ((size_t)(in->end - in->at) < count) {
    in->bad = 1;
    in->at = in->end;
    return NULL;
  }
  const uint8_t *at = in->at;
  in->at += count;
  return at;
}

uint8_t get_u8(struct reader *in) {
  const uint8_t *b = take(in, 1);
  return b ? b[0] : 0;
}

uint16_t get_u16(struct reader *in) {
  const uint8_t *b = take(in, 2);
  return b ? (uint16_t)(b[0] | b[1] << 8) : 0;
}

uint32_t get_u32(struct reader *in) {
  const uint8_t *b = take(in, 4);
  return b ? (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24 : 0;
}

char *get_string(struct reader *in) {
  uint32_t length = get_u32(in);
  const uint8_t *text = take(in, (size_t)length + 1);
  if (!text || text[length] != 0) {
    in->bad = 1;
    return (char *)"";
  }
  return (char *)text;
}

void put_bytes(struct writer *out, const void *bytes, size_t count) {
  if (out->used + count > out->size) {
    out->size = (out->used + count) * 2 + 256;
    out->data = realloc(out->data, out->size);
    if (!out->data) abort();
  }
  memcpy(out->data + out->used, bytes, count);
  out->used += count;
}

void put_u8(struct writer *out, uint8_t value) { put_bytes(out, &value, 1); }

void put_u32(struct writer *out, uint32_t value) {
  uint8_t b[4] = {value, value >> 8, value >> 16, value >> 24};
  put_bytes(out, b, 4);
}

void put_u64(struct writer *out, uint64_t value) {
  put_u32(out, (uint32_t)value);
  put_u32(out, (uint32_t)(value >> 32));
}

void put_string(struct writer *out, const char *text) {
  uint32_t length = (uint32_t)strlen(text);
  put_u32(out, length);
  put_bytes(out, text, length + 1);
}

int write_all(int fd, const void *bytes, size_t count) {
  const uint8_t *at = bytes;
  while (count > 0) {
    ssize_t n = write(fd, at, count);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {
      struct pollfd wait = {.fd = fd, .events = POLLOUT};
      poll(&wait, 1, -1);
      continue;
    }
    if (n < 0) return -1;
    at += n;
    count -= (size_t)n;
  }
  return 0;
}

void send_frame(uint8_t type, uint32_t id, const struct writer *body) {
  if (runtime_socket < 0) return;
  uint32_t length = body ? (uint32_t)body->used : 0;
  struct writer frame = {0};
  put_u32(&frame, length);
  put_u8(&frame, type);
  put_u32(&frame, id);
  if (length) put_bytes(&frame, body->data, length);
  if (write_all(runtime_socket, frame.data, frame.used) != 0) runtime_lost();
  free(frame.data);
}

void send_reply(uint32_t id, int error, const struct writer *body) {
  struct writer out = {0};
  put_u32(&out, (uint32_t)error);
  if (body) put_bytes(&out, body->data, body->used);
  send_frame(FRAME_REPLY, id, &out);
  free(out.data);
}
