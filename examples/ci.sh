#!/usr/bin/env bash
# Checks a change of a repository of training logs: reads the logs, compares new ones with the base branch, and fills
# the pages that show them. Run it in a git checkout in which `bench` is installed; docs/ci.md explains it.
#
#   ci.sh [-b BASE] [-k KEY_FILE] STAGING [PAGE...]
#
#   STAGING      folder of logs
#   PAGE         Markdown file with markers (docs/pages.md), filled from the ledger of STAGING
#   -b BASE      branch or commit; the logs that this change adds or replaces are compared with all logs there
#   -k KEY_FILE  key of the pseudonyms; without it, pages that name machines differ in every run
#
# Ends with 1 if no log is recognised, a case became slower, or a page did not show what the logs say. Such a page is
# written, so that it can be committed. The comparison is appended to $GITHUB_STEP_SUMMARY, where that is set.
set -uo pipefail
usage="usage: ci.sh [-b BASE] [-k KEY_FILE] STAGING [PAGE...]"
base=""
key=()
while getopts b:k: option; do
    case $option in
    b) base=$OPTARG ;;
    k) key=(--key-file "$OPTARG") ;;
    *) echo "$usage" >&2 && exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] || { echo "$usage" >&2 && exit 2; }
staging=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
summary=${GITHUB_STEP_SUMMARY:-/dev/null}
failed=0

# Copies the logs of the base branch to $work/base and the logs that this change adds or replaces to $work/change.
copy_sides() {
    local fork
    # What the base branch gained since then is no change of ours.
    fork=$(git merge-base "$base" HEAD) || fork=$(git rev-parse --verify "$base^{commit}") || return 1
    mkdir "$work/base" "$work/change"
    git archive "$fork" -- "$staging" 2>/dev/null | tar -x -C "$work/base" 2>/dev/null
    {
        git diff --name-only --relative -z --diff-filter=d "$fork" -- "$staging"
        git ls-files -z --others --exclude-standard -- "$staging"
        # States facts of the new logs too, though it did not change.
        git ls-files -z -- ":(glob)$staging/**/facts.toml"
    } | tar --null --files-from - -c | tar -x -C "$work/change"
}

compare() {
    if ! bench compare --help >/dev/null 2>&1; then
        echo "not compared: this release has no bench compare"
        return 0
    fi
    copy_sides || return 1
    if [ ! -e "$work/change/$staging" ]; then
        echo "not compared: this change adds and replaces no log"
        return 0
    fi
    local status=0
    bench compare "$work/base/$staging" "$work/change/$staging" --format markdown >"$work/page.md" || status=$?
    if [ $status -gt 1 ]; then
        echo "not compared: see the message above"
        return 0
    fi
    tee -a "$summary" <"$work/page.md"
    return $status
}

fill() {
    bench report --write "$1" --check && return 0
    bench report --write "$1"
    echo "$1 did not show what the logs say; it is written now: commit it" | tee -a "$summary"
    return 1
}

echo "== logs of $staging"
bench ingest "${key[@]}" "$staging" || failed=1
if [ -n "$base" ]; then
    echo "== this change against $base"
    compare || failed=1
fi
for page in "$@"; do
    echo "== $page"
    fill "$page" || failed=1
done
exit $failed
