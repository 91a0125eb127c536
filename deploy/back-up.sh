#!/usr/bin/env bash
# Backs up the databases of a deployment in containers at one moment, while it runs:
#   deploy/back-up.sh compose|kubernetes [FOLDER] [KEEP]
# It has its name once it is whole: what was cut off before is removed by the next one. The newest KEEP (7) stay.
set -euo pipefail

where="${1:-}" folder="${2:-backups}" keep="${3:-7}"
base_backup=(pg_basebackup -U postgres -D - -Ft -X fetch --checkpoint=fast)
case "$where" in
  compose) run=(docker compose exec -T postgres "${base_backup[@]}") ;;
  kubernetes) run=(kubectl exec postgres-0 -- "${base_backup[@]}") ;;
  *) echo "usage: deploy/back-up.sh compose|kubernetes [FOLDER] [KEEP]" >&2; exit 1 ;;
esac
[[ "$keep" =~ ^[1-9][0-9]*$ ]] || { echo "KEEP is how many backups stay: a whole number from 1 on." >&2; exit 1; }

umask 077
mkdir -p "$folder"
# One at a time: what is unfinished in the folder then is of one that was killed.
exec 9> "$folder/.lock"
flock --nonblock 9 || { echo "Another backup to $folder is under way." >&2; exit 1; }
rm -f "$folder"/*.unfinished
file="$folder/$(date -u +%Y%m%dT%H%M%SZ).tar.gz"
trap 'rm -f "$file.unfinished"' EXIT
"${run[@]}" | gzip > "$file.unfinished"
gzip --test "$file.unfinished"
sync "$file.unfinished"
mv "$file.unfinished" "$file"
echo "backed up to $file ($(du -h "$file" | cut -f1))"

mapfile -t backups < <(find "$folder" -maxdepth 1 -name '????????T??????Z.tar.gz' | sort)
for ((n = 0; n < ${#backups[@]} - keep; n++)); do
  rm "${backups[n]}"
  echo "removed ${backups[n]}: the newest $keep are kept"
done
