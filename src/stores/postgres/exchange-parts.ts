// The exchange statement in parts, which its variants put together. All of them see the database as it was when the
// statement began, so a task that is given back is not among those that can be taken.
//
// Tasks are found by id and compared by version, never by state: beside an index on that state, old statistics would
// choose it for the search.

/** What was decided about held tasks, where the version still stands. */
export const settling = `
    held as materialized (
      select o.id
      from unnest($8::uuid[]) with ordinality h (id, nth)
      join open_task o on o.id = h.id
      order by h.nth
      for update of o
    ),
    ended as (
      delete from open_task o
      using unnest($1::task_write[], $2::text[], $3::text[]) w (
        id, expected, version, attempt, failures, losses, active_at, run_at, claimed_at, started_at, leased_until,
        due_at, state, worker, progress, children, checkpoint, error, finished_at, event_worker, type, result, data
      )
      where o.id = w.id
        and o.version = w.expected
        and (select count(*) from held) >= 0
      returning w.*
    ),
    moved as (
      update open_task o
      set
        version = w.version,
        attempt = w.attempt,
        failures = w.failures,
        losses = w.losses,
        active_at = w.active_at,
        run_at = w.run_at,
        claimed_at = w.claimed_at,
        started_at = w.started_at,
        leased_until = w.leased_until,
        due_at = w.due_at,
        state = w.state,
        worker = w.worker,
        progress = w.progress,
        children = w.children,
        checkpoint = w.checkpoint
      from unnest($4::task_write[], $5::text[]) w (
        id, expected, version, attempt, failures, losses, active_at, run_at, claimed_at, started_at, leased_until,
        due_at, state, worker, progress, children, checkpoint, error, finished_at, event_worker, type, data
      )
      where o.id = w.id
        and o.version = w.expected
        and (select count(*) from held) >= 0
      returning w.id, w.version, w.active_at, w.attempt, w.state, w.worker, w.event_worker, w.type, w.data
    ),
    written as materialized (
      select id from ended
      union all
      select id from moved
    ),
    outcomes as (
      insert into outcome (
        task, finished_at, active_at, claimed_at, started_at, version, attempt, failures, losses, state, worker,
        progress, children, checkpoint, result, error
      )
      select
        id, coalesce(finished_at, active_at), active_at, claimed_at, started_at, version, attempt, failures, losses,
        state, worker, progress, children, checkpoint, result, error
      from ended
    ),`;

/** One entry for each task that may be taken: the number of the taker it goes to. */
export const slots = `
    slots as materialized (
      select coalesce(array_agg(t.nth::integer order by t.nth), '{}') as takers
      from unnest($13::text[], $14::integer[]) with ordinality t (worker, most, nth)
      join session s on s.worker = t.worker
      cross join lateral generate_series(1, t.most)
      where s.lost_at is null
        and s.removed_at is null
    ),`;

/** From one lane: tasks are locked as they are found, passing over those that others hold. */
export const searchingOneLane = `
    taken as materialized (
      select spot, row_number() over (order by place) as slot
      from (
        select o.ctid as spot, o.place
        from open_task o
        where o.lane = ($9::integer[])[1]
          and o.place >= ($21::bytea[])[1]
          and o.state = 'pending'
          and o.run_at is null
          and o.id not in (select unnest($7::uuid[]))
        order by o.place
        limit least((select cardinality(takers) from slots), ($10::integer[])[1], $11::integer, $12::integer)
        for update of o skip locked
      ) o
    ),`;

/**
 * From several lanes: a few of each without locks (`near`), then more of those that gave all they were asked for
 * (`ends`, `further`): of few lanes all that may be needed, of many the more the earlier they stand in line. Whoever is
 * behind the end of what was seen of a lane (`horizon`) is left for another look. What was found is locked in order,
 * passing over what others hold.
 */
export const searchingLanes = `
    near as materialized (
      select l.lane, l.room, c.spot, c.place, c.version
      from unnest($9::integer[], $10::integer[], $21::bytea[]) l (lane, room, floor)
      cross join lateral (
        select o.ctid as spot, o.place, o.version
        from open_task o
        where o.lane = l.lane
          and o.place >= l.floor
          and o.state = 'pending'
          and o.run_at is null
          and o.id not in (select unnest($7::uuid[]))
        order by o.place
        limit least($11::integer, l.room)
      ) c
    ),
    cut as materialized (
      select place
      from near
      where $11 < $12::integer
      order by place
      offset $12 - 1
      limit 1
    ),
    ends as materialized (
      select
        lane,
        room,
        place,
        ceil(greatest(2.0 * $12 / row_number() over (order by place), 4.0 * $12 / count(*) over ()))::integer as share
      from (
        select lane, room, place, row_number() over (partition by lane order by place) as nth
        from near
        where $11 < $12
      ) n
      where nth = $11
        and place < coalesce((select place from cut), '\\xff')
    ),
    further as materialized (
      select e.lane, e.share, c.spot, c.place, c.version
      from ends e
      cross join lateral (
        select o.ctid as spot, o.place, o.version
        from open_task o
        where o.lane = e.lane
          and o.state = 'pending'
          and o.run_at is null
          and o.id not in (select unnest($7::uuid[]))
          and o.place > e.place
          and o.place < coalesce((select place from cut), '\\xff')
        order by o.place
        limit least(e.share, e.room - $11)
      ) c
    ),
    horizon as materialized (
      select place
      from (
        select place, share, row_number() over (partition by lane order by place) as nth
        from further
      ) f
      where nth = share
      order by place
      limit 1
    ),
    candidates as materialized (
      select spot, place, version
      from (
        select spot, place, version from near
        union all
        select spot, place, version from further
      ) c
      where place <= coalesce((select place from horizon), '\\xff')
      order by place
      limit $12
    ),
    taken as materialized (
      select spot, row_number() over (order by place) as slot
      from (
        select o.ctid as spot, o.place
        from candidates c
        join open_task o on o.ctid = c.spot
        where o.version = c.version
        order by c.place
        limit (select cardinality(takers) from slots)
        for update of o skip locked
      ) o
    ),`;

/** Mirrors the rule for "claim" and "assign" in core/task.ts; the contract test holds the two together. */
export const claiming = `
    claimed as (
      update open_task o
      set
        state = case when t.assign then 'running' else 'claimed' end,
        version = o.version + 1,
        attempt = o.attempt + 1,
        worker = t.worker,
        claimed_at = $18::bigint,
        started_at = case when t.assign then $18::bigint end,
        leased_until = $18::bigint + t.lease_ms,
        due_at = $18::bigint + least(o.due_ms, t.due_ms),
        active_at = $18::bigint,
        ticket = $19::bigint
      from (
        select
          taken.spot,
          taken.slot::integer as slot,
          slots.takers[taken.slot] as taker,
          ($13::text[])[slots.takers[taken.slot]] as worker,
          ($15::boolean[])[slots.takers[taken.slot]] as assign,
          ($16::bigint[])[slots.takers[taken.slot]] as due_ms,
          ($17::bigint[])[slots.takers[taken.slot]] as lease_ms
        from taken
        cross join slots
      ) t
      where o.ctid = t.spot
      returning
        t.slot, t.taker, o.id, o.version, o.attempt, o.failures, o.losses, o.checkpoint, o.children, o.state, o.worker
    ),`;

export const history = `
    history as (
      insert into task_event (task, at, version, attempt, type, state, worker, data)
      select id, active_at, version, attempt, type, state, coalesce(event_worker, worker), data
      from ended
      where type is not null
      union all
      select id, active_at, version, attempt, type, state, coalesce(event_worker, worker), data
      from moved
      where type is not null
      union all
      select task, at, version, attempt, type, state, worker, data
      from unnest($6::task_event[]) e
      where (e.task in (select id from written)) is true
      union all
      select
        id, $18::bigint, version, attempt, case state when 'running' then 'task.assigned' else 'task.claimed' end,
        state, worker, null
      from claimed
    )`;
