/**
 * What a first user may leave behind. `leave` runs as that user (root where it says so); `search` runs as root for the
 * second user and prints something exactly when the dirt is still there. Before the dirt is left it must print nothing.
 */
export interface Dirt {
  readonly name: string;
  readonly as?: 'root';
  readonly leave: string;
  readonly search: string;
}

const inHome: Dirt[] = [
  { name: 'a file in the home', leave: 'echo secret > ~/left', search: 'ls ~user/left' },
  { name: 'a hidden file in the home', leave: 'echo secret > ~/.left', search: 'ls ~user/.left' },
  {
    name: 'a deep tree in the home',
    leave: 'mkdir -p ~/a/b/c/d/e/f/g && touch ~/a/b/c/d/e/f/g/h',
    search: 'ls -d ~user/a',
  },
  {
    name: 'a folder that nobody may enter',
    leave: 'mkdir ~/closed && touch ~/closed/in && chmod 0 ~/closed',
    search: 'ls -d ~user/closed',
  },
  { name: 'a file that nobody may read', leave: 'echo secret > ~/shut && chmod 0 ~/shut', search: 'ls ~user/shut' },
  { name: 'a name with a line feed', leave: `touch ~/"$(printf 'two\\nlines')"`, search: 'ls -A ~user | grep lines' },
  { name: 'a name of 255 bytes', leave: `touch ~/$(printf 'n%.0s' $(seq 255))`, search: 'ls -A ~user | grep nnnnn' },
  {
    name: 'a name that is not UTF-8',
    leave: `touch ~/"$(printf 'bad\\377name')"`,
    search: `ls -A ~user | grep -a bad`,
  },
  { name: 'a name that begins with a dash', leave: 'touch -- ~/-rf', search: 'ls -A ~user | grep -e -rf' },
  {
    name: 'a link out of the home',
    leave: 'ln -s /etc/passwd ~/out',
    search: 'ls ~user/out; test -s /etc/passwd || echo passwd is gone',
  },
  {
    name: 'a link to a folder outside, to be followed by a careless sweep',
    leave: 'ln -s /usr/share ~/share',
    search: 'ls -d ~user/share; test -d /usr/share/doc -o -d /usr/share/misc || echo swept too far',
  },
  { name: 'a link that points to itself', leave: 'ln -s ring ~/ring', search: 'ls -A ~user | grep ring' },
  { name: 'a pipe', leave: 'mkfifo ~/pipe', search: 'ls ~user/pipe' },
  {
    name: 'a unix socket',
    leave: `perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => "$ENV{HOME}/sock", Listen => 1)'`,
    search: 'ls ~user/sock',
  },
  { name: 'a sparse file of 8 GiB', leave: 'truncate -s 8G ~/sparse', search: 'ls ~user/sparse' },
  {
    name: 'five thousand small files',
    leave: 'mkdir ~/many && cd ~/many && seq 5000 | xargs touch',
    search: 'ls -d ~user/many',
  },
  {
    name: 'a tree deeper than a path may be long',
    leave:
      'cd ~; for i in $(seq 60); do mkdir -p dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd && cd ddd*; done',
    search: 'ls -A ~user | grep ddd',
  },
  {
    name: 'a changed profile',
    leave: 'echo "export PS1=owned" >> ~/.bashrc; echo alias ls=owned >> ~/.profile',
    search: 'cat ~user/.bashrc ~user/.profile | grep owned',
  },
  {
    name: 'a key for remote logins',
    leave: 'mkdir -m 700 ~/.ssh && echo ssh-ed25519 AAAA > ~/.ssh/authorized_keys',
    search: 'ls -d ~user/.ssh',
  },
  {
    name: 'credentials of a tool',
    leave: 'printf "https://a:b@x\\n" > ~/.git-credentials; echo "[credential]" > ~/.gitconfig',
    search: 'ls ~user/.git-credentials ~user/.gitconfig',
  },
  { name: 'a shell history', leave: 'echo "curl secret" > ~/.bash_history', search: 'ls ~user/.bash_history' },
  { name: 'a changed mode of the home', leave: 'chmod 777 ~', search: 'stat -c %a ~user | grep 777' },
];

const elsewhere: Dirt[] = [
  { name: 'a file in /tmp', leave: 'echo secret > /tmp/left', search: 'ls /tmp/left' },
  {
    name: 'a hidden folder in /tmp',
    leave: 'mkdir -p /tmp/.cache/deep && touch /tmp/.cache/deep/x',
    search: 'ls -d /tmp/.cache',
  },
  { name: 'a file in /var/tmp', leave: 'echo secret > /var/tmp/left', search: 'ls /var/tmp/left' },
  { name: 'a file in /dev/shm', leave: 'echo secret > /dev/shm/left', search: 'ls /dev/shm/left' },
  { name: 'a named semaphore', leave: 'head -c 32 /dev/zero > /dev/shm/sem.left', search: 'ls /dev/shm/sem.left' },
  {
    name: 'a lock file',
    leave: 'mkdir -p /run/lock && (echo $$ > /run/lock/left) 2>/dev/null || touch /tmp/left.lock',
    search: 'ls /run/lock/left /tmp/left.lock',
  },
  { name: 'a shared memory segment', leave: 'ipcmk -M 4096', search: 'ipcs -m | grep 0x' },
  { name: 'a semaphore set', leave: 'ipcmk -S 2', search: 'ipcs -s | grep 0x' },
  { name: 'a message queue', leave: 'ipcmk -Q', search: 'ipcs -q | grep 0x' },
];

const processes: Dirt[] = [
  { name: 'a background process', leave: 'sleep 3601 >/dev/null 2>&1 &', search: 'pgrep -f "sleep 360[1]"' },
  {
    name: 'a child in a session of its own',
    leave: 'setsid sleep 3602 >/dev/null 2>&1 &',
    search: 'pgrep -f "sleep 360[2]"',
  },
  {
    name: 'a daemon by double fork',
    leave: '(setsid sh -c "sleep 3603 & exit" >/dev/null 2>&1 &)',
    search: 'pgrep -f "sleep 360[3]"',
  },
  {
    name: 'a process under another name',
    leave: 'bash -c "exec -a [kworker/0:9] sleep 3604" >/dev/null 2>&1 &',
    search: 'pgrep -u user',
  },
  {
    name: 'a process that ignores signals',
    leave: `setsid bash -c 'trap "" TERM INT HUP QUIT; while :; do sleep 0.2; done' >/dev/null 2>&1 &`,
    search: 'pgrep -u user',
  },
  {
    name: 'a stopped process',
    leave: 'sleep 3605 >/dev/null 2>&1 & sleep 0.3; kill -STOP $!',
    search: 'pgrep -f "sleep 360[5]"',
  },
  {
    name: 'two processes that start each other again',
    leave: `cat > /tmp/twin <<'X'\n#!/bin/bash\ntrap '' TERM; for i in $(seq 600); do pgrep -f "twin $2 $1" >/dev/null || setsid /tmp/twin $2 $1 >/dev/null 2>&1 & sleep 0.05; done\nX\nchmod 755 /tmp/twin; setsid /tmp/twin a b >/dev/null 2>&1 &`,
    search: 'pgrep -u user; ls /tmp/twin',
  },
  {
    name: 'a timer that writes later',
    leave:
      'setsid sh -c "for i in $(seq -s " " 300); do sleep 0.3; date >> /tmp/ticks; date >> ~/ticks; done" >/dev/null 2>&1 &',
    search: 'sleep 0.8; ls /tmp/ticks ~user/ticks; pgrep -u user',
  },
  {
    name: 'a process whose folder is gone',
    leave: 'mkdir /tmp/gone && cd /tmp/gone && (setsid sleep 3606 >/dev/null 2>&1 &) && rmdir /tmp/gone',
    search: 'pgrep -f "sleep 360[6]"',
  },
  {
    name: 'a process that holds a deleted file',
    leave: 'exec 9>/tmp/held; rm /tmp/held; setsid sleep 3607 >/dev/null 2>&1 &',
    search: 'pgrep -f "sleep 360[7]"',
  },
  {
    name: 'a process behind a terminal',
    leave: 'setsid script -qc "sleep 3608" /dev/null >/dev/null 2>&1 </dev/null & ',
    search: 'pgrep -f "sleep 360[8]"',
  },
  {
    name: 'a port on loopback',
    leave: `setsid perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 47471, Listen => 1); sleep 3600' >/dev/null 2>&1 &`,
    search: 'grep ":B96F " /proc/net/tcp | grep " 0A "',
  },
  {
    name: 'a port on every address',
    leave: `setsid perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(LocalPort => 47472, Listen => 1); sleep 3600' >/dev/null 2>&1 &`,
    search: 'grep ":B970 " /proc/net/tcp | grep " 0A "',
  },
  {
    name: 'a UDP port',
    leave: `setsid perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(LocalPort => 47473, Proto => "udp"); sleep 3600' >/dev/null 2>&1 &`,
    search: 'grep ":B971 " /proc/net/udp',
  },
  {
    name: 'an abstract unix socket',
    leave: `setsid perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0); bind(S, pack("S", AF_UNIX) . "\\0sandbank-left"); listen(S, 1); sleep 3600' >/dev/null 2>&1 &`,
    search: 'grep sandbank-left /proc/net/unix',
  },
];

/** What only root can leave. A reset may clean it, or see it and refuse; it may not overlook it. */
const byRoot: Dirt[] = [
  { name: 'root: a new file in /etc', as: 'root', leave: 'echo x > /etc/left.conf', search: 'ls /etc/left.conf' },
  {
    name: 'root: a changed /etc/hosts',
    as: 'root',
    leave: 'echo 1.2.3.4 owned >> /etc/hosts',
    search: 'grep owned /etc/hosts',
  },
  {
    name: 'root: a new user',
    as: 'root',
    leave: 'echo "evil:x:0:0::/root:/bin/sh" >> /etc/passwd',
    search: 'grep evil /etc/passwd',
  },
  {
    name: 'root: a program in the path',
    as: 'root',
    leave: 'printf "#!/bin/sh\\necho owned\\n" > /usr/local/bin/ls && chmod 755 /usr/local/bin/ls',
    search: 'test -e /usr/local/bin/ls && echo there',
  },
  {
    name: 'root: a setuid shell',
    as: 'root',
    leave: 'cp /bin/dash /var/tmp/.sh && chmod 4755 /var/tmp/.sh',
    search: 'ls /var/tmp/.sh',
  },
  {
    name: 'root: a changed mode of a program',
    as: 'root',
    leave: 'chmod 4755 /usr/bin/env',
    search: 'stat -c %a /usr/bin/env | grep 4755',
  },
  {
    name: 'root: a removed program',
    as: 'root',
    leave: 'rm /usr/bin/tac',
    search: 'test -e /usr/bin/tac || echo gone',
  },
  {
    name: 'root: a script that every login runs',
    as: 'root',
    leave: 'echo echo owned > /etc/profile.d/left.sh',
    search: 'ls /etc/profile.d/left.sh',
  },
  {
    name: 'root: a library that every program loads',
    as: 'root',
    leave: 'touch /etc/ld.so.preload',
    search: 'ls /etc/ld.so.preload',
  },
  {
    name: 'root: a cron table',
    as: 'root',
    leave: 'mkdir -p /var/spool/cron/crontabs && echo "* * * * * touch /tmp/cron" > /var/spool/cron/crontabs/user',
    search: 'ls /var/spool/cron/crontabs/user',
  },
  { name: 'root: files of its own home', as: 'root', leave: 'echo x > /root/left', search: 'ls /root/left' },
  {
    name: 'root: a mount',
    as: 'root',
    leave: 'mkdir -p /mnt/left && mount -t tmpfs tmpfs /mnt/left',
    search: 'grep /mnt/left /proc/mounts; ls -d /mnt/left',
  },
  {
    name: 'root: a mount over a file',
    as: 'root',
    leave: 'echo 6.6.6.6 owned > /tmp/h && mount --bind /tmp/h /etc/hosts',
    search: 'grep owned /etc/hosts',
  },
  {
    name: 'root: a file behind a mount',
    as: 'root',
    leave: 'mkdir -p /opt/x && echo x > /opt/x/hidden && mount -t tmpfs tmpfs /opt/x',
    search: 'grep /opt/x /proc/mounts; ls -d /opt/x',
  },
  {
    name: 'root: another host name',
    as: 'root',
    leave: 'hostname owned || echo owned > /proc/sys/kernel/hostname',
    search: 'hostname | grep owned',
  },
  {
    name: 'root: a process',
    as: 'root',
    leave: 'setsid sleep 3609 >/dev/null 2>&1 &',
    search: 'pgrep -f "sleep 360[9]"',
  },
  {
    name: 'root: a file of the user with the owner changed',
    as: 'root',
    leave: 'touch /home/user/rooted && chown root:root /home/user/rooted && chmod 600 /home/user/rooted',
    search: 'ls /home/user/rooted',
  },
  { name: 'root: a device node', as: 'root', leave: 'mknod /tmp/disk b 7 0', search: 'ls /tmp/disk' },
];

export const DIRT: readonly Dirt[] = [...inHome, ...elsewhere, ...processes, ...byRoot];
