export const helpText = `sandbank-runtime: the daemon inside a sandbox. Starts commands, streams their output, reads and writes files.
It speaks the protocol of E2B's daemon, so the E2B SDKs work unchanged.

Usage
  sandbank-runtime [flags]          run the daemon
  sandbank-runtime pack DIR         write a self-contained folder (Node, libraries, bundle, launcher) that runs in any image

Where it listens (nothing is the default; it listens only where told)
  --address ADDRESS          repeatable; without it the environment variable POD_IP
  --port PORT                49983
  --socket PATH              a unix socket, also or instead

Control routes (/init and /reset)
  Without these flags /init is on the data listener and /reset is not served.
  --control-socket PATH      serve them on a unix socket only: what a gateway can't reach it can't call
  --control-address ADDRESS  serve them on another address (127.0.0.1 if only the port is given)
  --control-port PORT
  --control-token-file FILE  callers must send this token in X-Control-Token; needed off loopback

Access
  Until /init has set a token, only /health and /init answer callers off loopback. Afterwards every call needs it.
  --insecure-no-token        answer everybody until a token is set (debug mode of the SDKs, replays). Never in a cluster

Commands
  --default-user NAME        root; what /init says wins
  --default-workdir DIR      the user's home
  --env NAME=VALUE           repeatable; seen by every command, owners can't change it
  --no-new-privileges        commands can't gain privileges (sudo stops working)
  --helper auto|none|PATH    the static helper: terminals, groups, watches, metadata, process trees. auto
  --forward-ports ADDRESS    make ports that listen on 127.0.0.1 reachable on ADDRESS; "off" for none. POD_IP

Reset (POST /reset on the control listener)
  --reset-root DIR           repeatable; the writable folders of this sandbox, / for all. Files that appeared below them are
                             deleted by a reset, so give it only where the whole tree belongs to the sandbox
  --reset-allow-root         try a reset even if commands ran as root, who may have changed the runtime itself

Other
  --log-level LEVEL          debug, info, warn, error or silent. info
  --version, --help

Every flag can be set by environment: SANDBANK_RUNTIME_ + its name in capitals, e.g. SANDBANK_RUNTIME_PORT=49983.
`;
