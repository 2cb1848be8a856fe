#!/bin/bash
# A whole worker in 30 lines: registers, beats, claims, runs, settles, and says goodbye.
url=${LEADHAND_URL:-http://127.0.0.1:7070}/v1
ask() { # METHOD PATH [BODY [HEADER]] prints the answer; 22 is a refusal. Asks again while the server is away.
  curl -sS --fail --retry 5 --retry-connrefused --max-time 60 -X "$1" "$url$2" ${3:+-d "$3"} ${4:+-H "$4"} \
    -H "Authorization: Bearer $LEADHAND_TOKEN" -H 'Prefer: wait=8'
}
member() { sed -nE "s/.*\"$1\" *: *\"(([^\"\\\\]|\\\\.)*)\".*/\1/p" <<<"${answer//[$'\n\r\t']/ }"; }
work() { # From the text of the payload to the result, or to the words of a failure; both as JSON writes them.
  [ -n "$1" ] && printf '{"greeting": "Hello, %s!"}' "$1" || { printf 'There is nobody to greet'; return 1; }
}
answer=$(ask PUT /rooms/lab/jobs '{"category": "modifiers", "name": "greet-in-30-lines", "schema": {"required": ["name"],
  "properties": {"name": {"type": "string"}}, "additionalProperties": false}, "policy": {"onWorkerLost": "requeue"}}')
worker=$(member worker_id)
[ -n "$worker" ] && echo "worker $worker" || exit 1
while sleep 20 && kill -0 $$; do ask PATCH "/workers/$worker"; done >/dev/null 2>&1 &
trap 'kill $!; ask DELETE "/workers/$worker"' EXIT
trap 'exit 0' INT TERM
for ((n = 1; ; n++)); do
  answer=$(ask POST /tasks/claim "{\"worker_id\": \"$worker\"}" "Idempotency-Key: $worker-$n") || exit 1
  task=$(member id) lease="\"lease_token\": \"$(member lease_token)\""
  [ -n "$task" ] || continue
  # What cannot be started goes back, if it still is ours.
  ask PATCH "/tasks/$task" "{\"status\": \"running\", $lease}" >/dev/null ||
    { ask POST "/tasks/$task/release" "{$lease}"; continue; }
  result=$(work "$(member name)") && end="\"completed\", \"result\": $result" || end="\"failed\", \"error\": \"$result\""
  ask PATCH "/tasks/$task" "{\"status\": $end, $lease}" >/dev/null || [ $? = 22 ] || exit 1
  echo "task $task ${end%%,*}"
done
