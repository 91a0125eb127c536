#!/bin/sh
# Starts nats-server on the streams that it has. Until 0.2.0 they lay in the server's one account, now in one of their own;
# nothing may run on them while they are moved. Where the release before ran again since, the streams that it made are newer.
set -eu
data="${NATS_DATA:-/data}/jetstream"
if [ -d "$data/\$G" ]; then
  if [ -d "$data/STREAMS" ]; then mv "$data/STREAMS" "$data/STREAMS.before-$(date +%s)"; fi
  mv "$data/\$G" "$data/STREAMS"
fi
exec nats-server "$@"
