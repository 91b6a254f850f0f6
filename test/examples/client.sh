#!/usr/bin/env bash
# The same steps as client.ts, with curl: publishes a post on the sandbox account and shows what the account got.
#
#   make start                                              prints a key
#   POSTROOM_KEY=pr_… test/examples/client.sh 'Hello'       in another terminal
#
# JSON is read with Node, because it is there; jq does as well.
set -euo pipefail

API=${POSTROOM_API:-http://localhost:3000/api/v1}
KEY=${POSTROOM_KEY:?Set POSTROOM_KEY to an API key, such as the one that make start prints}
caption=${1:-Hello from the curl example}

# Evaluates a JavaScript expression, in which `it` is the JSON document on stdin.
pick() { node -e "const it = JSON.parse(require('node:fs').readFileSync(0, 'utf8')); process.stdout.write(String($1))"; }

# Prints the body and, on a line of its own, the status. Repeats what got no response or a 5xx, with growing pauses.
call() {
  curl --silent --max-time 30 --retry 5 --retry-all-errors --write-out '\n%{http_code}' \
    --header "Authorization: Bearer $KEY" --header 'Content-Type: application/json' "$@"
}
body() { sed '$d' <<<"$1"; }
status() { tail -n 1 <<<"$1"; }

reply=$(call "$API/accounts")
account=$(body "$reply" | pick 'it.data.find(({ platform }) => platform === "sandbox").id')

# 1. A request of the wrong shape: each entry of `details` says where it is wrong.
reply=$(call "$API/posts" --data "{\"caption\":\"Hello\",\"accountIds\":\"$account\"}")
echo "$(status "$reply") $(body "$reply" | pick 'it.error')"
body "$reply" | pick 'it.details.map(({ path, message }) => `  ${path.join(".")}: ${message}\n`).join("")'

# 2. The right one. The key is made once for this post and kept with it: every repetition sends the same.
idempotency_key=$(node -p 'crypto.randomUUID()')
post=$(CAPTION=$caption ACCOUNT=$account node -p 'JSON.stringify(
  { accountIds: [process.env.ACCOUNT], caption: process.env.CAPTION, scheduledAt: new Date().toISOString() })')
create() { call "$API/posts" --header "Idempotency-Key: $idempotency_key" --data "$post"; }

reply=$(create)
if [ "$(status "$reply")" != 201 ]; then
  echo "not created: $reply" >&2
  exit 1
fi
id=$(body "$reply" | pick 'it.id')
echo "created $id"
echo "repeated $(create | sed '$d' | pick 'it.id')"

# 3. What became of it on each account.
for ((second = 0; ; second++)); do
  reply=$(call "$API/posts/$id")
  settled=$(body "$reply" | pick '!it.targets.some(({ delivery }) => /queued|publishing/.test(delivery.state))')
  [ "$settled" = true ] && break
  if ((second == 60)); then
    echo "post $id was not settled within 60 s" >&2
    exit 1
  fi
  sleep 1
done
echo "post is $(body "$reply" | pick 'it.status')"
body "$reply" | pick 'it.targets.map(({ platform, username, delivery }) =>
  `  ${platform} @${username}: ${delivery.state} ${delivery.error?.message ?? delivery.externalUrl}\n`).join("")'

# 4. What the sandbox received, newest first. Real networks have no such list.
call "$API/sandbox/calls?limit=1" | sed '$d' | pick 'it.data.map(({ accepted, text }) =>
  `the sandbox ${accepted ? "accepted" : "refused"} "${text}"\n`).join("")'
