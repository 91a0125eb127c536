#!/usr/bin/env bash
# Is it a backup? Restores one that deploy/back-up.sh made into an empty container without a network, compares each file with the
# backup's own list, starts PostgreSQL on it and reads every row of every database. The container is removed; nothing else is touched.
#   deploy/verify-backup.sh BACKUP.tar.gz [IMAGE]
set -euo pipefail

backup="${1:-}" image="${2:-postgres:18}"
[[ -f "$backup" ]] || { echo "usage: deploy/verify-backup.sh BACKUP.tar.gz [IMAGE]" >&2; exit 1; }

# shellcheck disable=SC2016 # The container's shell expands it.
docker run --rm -i --network none --user postgres --entrypoint bash "$image" -c '
  set -euo pipefail
  export PGDATA=/tmp/restored PGHOST=/tmp PGUSER=postgres
  mkdir -m 700 "$PGDATA"
  gunzip | tar x -C "$PGDATA"
  # The start replays the log.
  pg_verifybackup --no-parse-wal "$PGDATA"
  pg_ctl start --silent --wait --log /tmp/log -o "-c listen_addresses= -c unix_socket_directories=/tmp" || { cat /tmp/log >&2; exit 1; }
  for database in $(psql -At postgres -c "select datname from pg_database where datallowconn and not datistemplate order by 1"); do
    echo "$database: $(pg_dump "$database" | wc -c) bytes read"
  done
  pg_ctl stop --silent --mode fast
' < "$backup"
echo "verified $backup"
