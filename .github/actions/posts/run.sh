#!/usr/bin/env bash
# Validates the posts that were added since BASE, or without PULL_REQUEST creates them. FILES has patterns of git.
set -euo pipefail

postroom="$(dirname "${BASH_SOURCE[0]}")/../../../src/cli/postroom.ts"
mark='<!-- postroom -->'

# The runner takes lines that begin with `::` for commands, and `##[` anywhere. Names and texts of a pull request, and
# the messages about them, may have both.
print() {
  local text=${1//::/: :}
  text=${text//::/: :} # of three colons, too
  printf '%s\n' "${text//'##['/'## ['}"
}

fail() {
  print "$1" >&2
  exit 1
}

# Whether the commit is here, or could be fetched.
has() {
  git cat-file -e "$1^{commit}" 2>/dev/null ||
    { git fetch --quiet --depth=1 origin "$1" && git cat-file -e "$1^{commit}"; } 2>/dev/null
}

head=$(git rev-parse --verify --quiet HEAD 2>/dev/null) ||
  fail "git reads no commit in $PWD: run actions/checkout before. In a container, also run git config --global --add safe.directory '*'"
note=
# GitHub names no commit, zeros, or one that is gone: on a run by hand or by schedule, on a new branch, after a forced push.
if [[ ! "${BASE:-}" =~ [1-9a-f] ]] || ! has "$BASE"; then
  note="The commit before this change is not known, so only posts that the last commit adds are read. Send others with: postroom post send FILE"
  # git log shows the oldest commit of a shallow clone without parents.
  BASE=$(git cat-file commit "$head" | sed -n '1,/^$/s/^parent //p')
  BASE=${BASE%%$'\n'*}
  if [ -z "$BASE" ]; then
    BASE=$(git hash-object -t tree /dev/null)
  elif ! has "$BASE"; then
    fail "The commit before $head is missing in this clone: set fetch-depth: 2 of actions/checkout"
  fi
fi

set -f # git expands the patterns
# Only files that this change adds: an old file whose post was deleted must not become a new post, nor one that is moved.
# In a file: bash may lose the exit status of a process whose output it reads.
listed=$(mktemp)
git diff -z --name-status --diff-filter=AR --find-renames -l0 "$BASE" "$head" -- $FILES >"$listed" ||
  fail "git cannot compare $BASE with $head: set fetch-depth: 0 of actions/checkout"
mapfile -d '' -t changes <"$listed"
rm "$listed"
added=() moved=() # moved has pairs of the old path and the new one
for ((i = 0; i < ${#changes[@]}; i += 2)); do
  case ${changes[i]} in
    A) added+=("${changes[i + 1]}") ;;
    R100) ((i += 1)) ;;
    *) moved+=("${changes[i + 1]}" "${changes[i + 2]}") && ((i += 1)) ;;
  esac
done
[ -z "$note" ] || print "$note"
if ((${#added[@]} + ${#moved[@]} == 0)); then
  print "No post was added: ${FILES}"
  exit 0
fi

status=0
output=
send() {
  output+=$(node "$postroom" post send --commit "$head" ${PULL_REQUEST:+--validate} "$@" 2>&1)$'\n' || status=$?
}
((${#added[@]} == 0)) || send -- "${added[@]}"
for ((i = 0; i < ${#moved[@]}; i += 2)); do
  send "--moved-from=${moved[i]}" -- "${moved[i + 1]}"
done
output=${output%$'\n'}
print "$output"
report=$(printf '%s\n### Posts\n\n%s~~~~text\n%s\n~~~~\n' "$mark" "${note:+$note$'\n\n'}" "${output//'~~~~'/}")
printf '%s\n' "$report" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"

comment() {
  # Other workflows write comments as the same bot.
  local own=".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$mark\"))) | .id"
  local comments='repos/{owner}/{repo}/issues' id
  id=$(gh api --paginate "$comments/$PULL_REQUEST/comments" --jq "$own" | head -n 1) || id=
  if [ -n "$id" ]; then
    gh api --silent --method PATCH "$comments/comments/$id" --raw-field body="$report"
  else
    gh pr comment "$PULL_REQUEST" --body "$report"
  fi
}

# A pull request from a fork may not comment. The log and the summary have the report.
if [ -n "${PULL_REQUEST:-}" ]; then
  written=$(comment 2>&1) || written+=$'\nThe comment was not written.'
  print "$written"
fi
exit "$status"
