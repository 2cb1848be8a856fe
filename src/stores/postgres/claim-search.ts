// The search for ready tasks, in parts that the claim statement puts together. All of them see the database as it was
// when the statement began.

/** One entry for each task that may be taken: the number of the taker it goes to. */
export const slots = `
    slots as materialized (
      select coalesce(array_agg(t.nth::integer order by t.nth), '{}') as takers
      from unnest($6::text[], $7::integer[]) with ordinality t (worker, most, nth)
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
        where o.lane = ($2::integer[])[1]
          and o.place >= ($14::bytea[])[1]
          and o.state = 'pending'
          and o.run_at is null
          and o.id not in (select unnest($1::uuid[]))
        order by o.place
        limit least((select cardinality(takers) from slots), ($3::integer[])[1], $4::integer, $5::integer)
        for update of o skip locked
      ) o
    ),`;

const near = `
    near as materialized (
      select l.lane, l.room, c.spot, c.place, c.version
      from unnest($2::integer[], $3::integer[], $14::bytea[]) l (lane, room, floor)
      cross join lateral (
        select o.ctid as spot, o.place, o.version
        from open_task o
        where o.lane = l.lane
          and o.place >= l.floor
          and o.state = 'pending'
          and o.run_at is null
          and o.id not in (select unnest($1::uuid[]))
        order by o.place
        limit least($4::integer, l.room)
      ) c
    ),`;

const taken = `
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

/** From several lanes, where each is asked for as many as are wanted in all: nobody further back can be meant. */
export const searchingHeads = `${near}
    candidates as materialized (
      select spot, place, version
      from near
      order by place
      limit $5
    ),${taken}`;

/**
 * From several lanes: a few of each without locks (`near`), then more of those that gave all they were asked for
 * (`ends`, `further`): of few lanes all that may be needed, of many the more the earlier they stand in line. Whoever is
 * behind the end of what was seen of a lane (`horizon`) is left for another look. What was found is locked in order,
 * passing over what others hold.
 */
export const searchingLanes = `${near}
    cut as materialized (
      select place
      from near
      where $4 < $5::integer
      order by place
      offset $5 - 1
      limit 1
    ),
    ends as materialized (
      select
        lane,
        room,
        place,
        ceil(greatest(2.0 * $5 / row_number() over (order by place), 4.0 * $5 / count(*) over ()))::integer as share
      from (
        select lane, room, place, row_number() over (partition by lane order by place) as nth
        from near
        where $4 < $5
      ) n
      where nth = $4
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
          and o.id not in (select unnest($1::uuid[]))
          and o.place > e.place
          and o.place < coalesce((select place from cut), '\\xff')
        order by o.place
        limit least(e.share, e.room - $4)
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
      limit $5
    ),${taken}`;
