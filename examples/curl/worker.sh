#!/bin/sh
# A worker written with curl: it greets. `worker.sh` works until it is stopped, `worker.sh 3` ends after three tasks.
set -u
. "$(dirname "$0")/leadhand.sh"

# Register the job, and a worker with it. The schema lets nothing in but one text. Should this worker get lost, what it
# holds is to run again on another.
ask PUT /rooms/lab/jobs -d '{"category": "modifiers", "name": "greet",
  "schema": {"properties": {"name": {"type": "string"}}, "required": ["name"], "additionalProperties": false},
  "policy": {"onWorkerLost": "requeue"}}'
case $status in 200 | 201) ;; *) exit 1 ;; esac
worker=$(member worker_id)

# Beat, beside the work: a worker that was not heard for 60 seconds is lost. The beats end with the worker, even if it
# was killed; otherwise they would vouch for a dead one.
while sleep 20 && kill -0 $$; do
  curl -X PATCH "$url/v1/workers/$worker" -H "Authorization: Bearer $LEADHAND_TOKEN"
done >/dev/null 2>&1 &
beats=$!

# Say goodbye, so that the server need not wait for beats that will not come.
trap 'kill $beats; ask DELETE "/workers/$worker"' EXIT
trap 'exit 0' INT TERM

done=0 claims=1
while [ "$done" != "${1:-any number}" ]; do
  # Claim a task, or wait for one; not for long, because a shell heeds a signal only when curl is back. Where no answer
  # came try again, under the same key: if the first try did get a task, it is answered again.
  ask POST /tasks/claim -H 'Prefer: wait=8' -H "Idempotency-Key: $worker-$claims" -d "{\"worker_id\": \"$worker\"}"
  case $status in
    200) claims=$((claims + 1)) ;;
    000 | 429 | 503) sleep 2; continue ;;
    *) exit 1 ;;
  esac
  [ "$answer" != '{"task":null}' ] || continue
  task=$(member id) lease=$(member lease_token) name=$(member name)

  # Start it. 409 means that it is no longer ours: drop it and go on. After any other answer we do not know whether it
  # is, so we end, and the goodbye gives it back.
  ask PATCH "/tasks/$task" -d "{\"status\": \"running\", \"lease_token\": \"$lease\"}"
  case $status in 200) ;; 409) continue ;; *) exit 1 ;; esac

  # The work. The name is still written as JSON writes it, and fits into the result as it is.
  result="{\"greeting\": \"Hello, $name!\"}"

  # Hand in the result. The lease token proves that it is the result of this attempt and not of an earlier one.
  ask PATCH "/tasks/$task" -d "{\"status\": \"completed\", \"lease_token\": \"$lease\", \"result\": $result}"
  case $status in 200) done=$((done + 1)) ;; 409) ;; *) exit 1 ;; esac
done
