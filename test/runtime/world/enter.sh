#!/bin/sh
# The first process of a world: a throw-away copy of this machine's file system with three users and empty homes.
# Runs inside fresh mount, pid and ipc namespaces (see world.ts); all that it mounts goes away with them.
# Usage: enter.sh SCRATCH REPOSITORY SETXATTR_NUMBER COMMAND...
set -eu
umask 022
scratch=$1 repository=$2 setxattr=$3
shift 3

mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$scratch"
root=$scratch/root upper=$scratch/upper
mkdir "$root" "$upper" "$scratch/work"

# An opaque folder hides what the machine has there.
for folder in home root tmp run var/tmp; do
  mkdir -p "$upper/$folder"
  perl -e 'my ($call, $file, $name, $value) = (@ARGV, "trusted.overlay.opaque", "y");
    syscall($call + 0, $file, $name, $value, 1, 0) == 0 or die "setxattr: $!\n"' \
    "$setxattr" "$upper/$folder"
done
chmod 1777 "$upper/tmp" "$upper/var/tmp"
chmod 700 "$upper/root"

mount -t overlay overlay -o "lowerdir=/,upperdir=$upper,workdir=$scratch/work" "$root"
mkdir -p "$root$repository" "$root/run/lock"
mount --bind "$repository" "$root$repository"
mount -o remount,ro,bind "$root$repository"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"

# In a network namespace of its own the loopback device is down at first.
ip link set lo up 2>/dev/null || true

# `user` as in the usual templates; `other` has a group more; `homeless` has no home folder.
sed -i -e '/^\(user\|other\|homeless\):/d' -e '/^[^:]*:[^:]*:\(1000\|1001\|1002\):/d' "$root/etc/passwd"
sed -i -e '/^\(user\|other\|homeless\|builders\):/d' -e '/^[^:]*:[^:]*:\(1000\|1001\|1002\|2000\):/d' "$root/etc/group"
cat >>"$root/etc/passwd" <<'PASSWD'
user:x:1000:1000::/home/user:/bin/bash
other:x:1001:1001::/home/other:/bin/bash
homeless:x:1002:1002::/home/homeless:/bin/sh
PASSWD
cat >>"$root/etc/group" <<'GROUP'
user:x:1000:
other:x:1001:
homeless:x:1002:
builders:x:2000:other
GROUP
for name in user other; do
  mkdir "$root/home/$name"
  chroot "$root" chown "$name:$name" "/home/$name"
done

exec chroot "$root" "$@"
