#!/usr/bin/env bash
# Validates the posts that were added since BASE, or without PULL_REQUEST creates them. FILES has patterns of git.
set -euo pipefail

postroom="$(dirname "${BASH_SOURCE[0]}")/../../../src/cli/postroom.ts"
# Only files that this change adds: an old file whose post was deleted must not become a new post, nor one that is moved.
git cat-file -e "$BASE" 2>/dev/null || git fetch --quiet --depth=1 origin "$BASE"
set -f # git expands the patterns
mapfile -d '' -t files < <(git diff -z --name-only --diff-filter=A --find-renames=100% "$BASE" HEAD -- $FILES)
if ((${#files[@]} == 0)); then
  echo "No post was added: ${FILES}"
  exit 0
fi

status=0
output=$(node "$postroom" post send --commit "$(git rev-parse HEAD)" ${PULL_REQUEST:+--validate} -- "${files[@]}" 2>&1) || status=$?
printf '%s\n' "$output"
mark='<!-- postroom -->'
report=$(printf '%s\n### Posts\n\n~~~~text\n%s\n~~~~\n' "$mark" "${output//'~~~~'/}")
printf '%s\n' "$report" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
# A pull request from a fork may not comment. The log and the summary have the report.
if [ -n "${PULL_REQUEST:-}" ]; then
  # Other workflows write comments as the same bot.
  own=".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$mark\"))) | .id"
  comments='repos/{owner}/{repo}/issues'
  comment=$(gh api --paginate "$comments/$PULL_REQUEST/comments" --jq "$own" | head -n 1) || comment=
  if [ -n "$comment" ]; then
    gh api --silent --method PATCH "$comments/comments/$comment" --raw-field body="$report"
  else
    gh pr comment "$PULL_REQUEST" --body "$report"
  fi || echo 'The comment was not written.'
fi
exit "$status"
