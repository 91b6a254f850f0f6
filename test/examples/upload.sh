#!/usr/bin/env bash
# Uploads a large file with curl, and goes on where a connection was lost. Only the first request needs the key.
#
#   POSTROOM_KEY=pr_… test/examples/upload.sh harbour.mp4
set -euo pipefail

API=${POSTROOM_API:-http://localhost:3000/api/v1}
KEY=${POSTROOM_KEY:?Set POSTROOM_KEY to an API key, such as the one that make start prints}
file=${1:?Name a file}

pick() { node -e "const it = JSON.parse(require('node:fs').readFileSync(0, 'utf8')); process.stdout.write(String($1))"; }
header() { tr -d '\r' | sed -n "s/^$1: //ip"; }

size=$(wc -c <"$file" | tr -d ' ')
body=$(NAME=$(basename "$file") SIZE=$size node -p 'JSON.stringify({ fileName: process.env.NAME, bytes: Number(process.env.SIZE) })')
created=$(curl --silent --fail-with-body --header "Authorization: Bearer $KEY" --header 'Content-Type: application/json' \
  --data "$body" "$API/media/uploads")
id=$(pick it.id <<<"$created")
url=$(pick it.uploadUrl <<<"$created")
# A draft can refer to the file from here on.
echo "file $id"

for ((attempt = 1; attempt <= 20; attempt++)); do
  head=$(curl --silent --fail --head "$url") || { sleep 1 && continue; }
  [ "$(header upload-complete <<<"$head")" = '?1' ] && { echo ready && exit; }
  offset=$(header upload-offset <<<"$head")
  echo "from byte $offset"
  if [ "$offset" = "$size" ]; then
    # All bytes are there: the file has to be checked and stored.
    curl --silent --output /dev/null --request PUT --header "Content-Range: bytes */$size" --data '' "$url" || true
  else
    # --continue-at sends the rest of the file with its Content-Range.
    reply=$(curl --silent --continue-at "$offset" --upload-file "$file" --write-out '\n%{http_code}' "$url") || true
    case $(tail -n 1 <<<"$reply") in 4[01][0-8]) head -n 1 <<<"$reply" >&2 && exit 1 ;; esac
  fi
  sleep 0.2
done
echo "$file was not uploaded" >&2
exit 1
