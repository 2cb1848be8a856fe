#!/bin/sh
# Submits a task with curl and waits for its end: `submit.sh Ada`.
set -u
. "$(dirname "$0")/leadhand.sh"
name=$(printf '%s' "${1:-world}" | sed 's/[\\"]/\\&/g')

# 202: it is on disk and will not be lost. Under its key this may be repeated without making a second task.
key=greet-$(date +%s)-$$
ask POST /rooms/lab/tasks/lab:modifiers:greet -H "Idempotency-Key: $key" -d "{\"payload\": {\"name\": \"$name\"}}"
[ "$status" = 202 ] || exit 1
task=$(member id)

# The answer comes when the task has ended. If that takes longer than the wait, ask again.
state=pending
until [ "$state" = completed ] || [ "$state" = failed ] || [ "$state" = cancelled ]; do
  ask GET "/tasks/$task" -H 'Prefer: wait=30'
  [ "$status" = 200 ] || exit 1
  state=$(member status)
done

echo "$state: $(member greeting)"
[ "$state" = completed ]
