// The parts of the engine and how they hang together, in the order they are started; they stop in the reverse.

import { extension } from "../core/deadline.ts";
import { checkHolder, type Holder } from "../core/lease.ts";
import type { Promoted } from "../ports/pulse.ts";
import type { OpenTask } from "../ports/records.ts";
import { absences } from "./absences.ts";
import { alerts } from "./alerts.ts";
import { announcements } from "./announcements.ts";
import { beats } from "./beats.ts";
import { cancelling } from "./cancelling.ts";
import { cardLooks } from "./card-looks.ts";
import { type Catalog, catalog } from "./catalog.ts";
import { concluding } from "./concluding.ts";
import { acts } from "./control/acts.ts";
import { agenda } from "./control/agenda.ts";
import { control } from "./control/control.ts";
import { deliveries } from "./control/deliveries.ts";
import { drains } from "./control/drains.ts";
import { evictions } from "./control/evictions.ts";
import { limitedClaims } from "./control/limited-claims.ts";
import { seats } from "./control/seats.ts";
import { counting } from "./counting.ts";
import { depths } from "./depths.ts";
import { type Dispatcher, dispatcher } from "./dispatcher.ts";
import { effects } from "./effects.ts";
import type { EngineOptions } from "./engine.ts";
import { exchanger } from "./exchanger.ts";
import { fitness } from "./fitness.ts";
import { givingBack } from "./giving-back.ts";
import { hearing } from "./hearing.ts";
import { type Heart, heart } from "./heart.ts";
import { held } from "./held.ts";
import { jobs } from "./jobs.ts";
import { lanes } from "./lanes.ts";
import { lettingGo } from "./letting-go.ts";
import { type Choice, lockedMoves } from "./locked-moves.ts";
import { losing } from "./losing.ts";
import { marking } from "./marking.ts";
import { moves } from "./moves.ts";
import { type NewLanes, newLanes } from "./new-lanes.ts";
import { progressReports } from "./progress.ts";
import { type ProviderReads, providerReads } from "./provider-reads.ts";
import { providers } from "./providers.ts";
import { brokerLooks } from "./publishing/broker-looks.ts";
import { publishing } from "./publishing/publishing.ts";
import { targetAnswers } from "./push/target-answers.ts";
import { recordsBeside } from "./records-beside.ts";
import { signsOfLife } from "./signs-of-life.ts";
import { specs } from "./specs.ts";
import { statistics } from "./statistics.ts";
import { submitter } from "./submit.ts";
import { sweepSteps } from "./sweep-steps.ts";
import { sweeper } from "./sweeper.ts";
import { taking } from "./taking.ts";
import { takingMany } from "./taking-many.ts";
import { toldStates } from "./told-states.ts";
import { waits } from "./waits.ts";
import { workerNews } from "./worker-news.ts";
import { workers } from "./workers.ts";

export type EngineParts = Awaited<ReturnType<typeof engineParts>>;

export async function engineParts(given: EngineOptions) {
  const { secret, width, shared } = await given.store.start();
  const known = catalog(given.store);
  const news = workerNews(given, known);
  const options = { ...given, store: news.telling(given.store) };
  const tasks = taskParts(options, known, width);
  const fleet = fleetParts(options, tasks);
  const time = timeParts(options, tasks, fleet);
  const others = shared ? newLanes(options.clock, tasks.catalog, tasks.dispatcher.hint) : null;
  return {
    ...{ secret, news },
    ...tasks,
    ...fleet,
    ...time,
    extension: extend,
    ...lifecycle(options, { ...tasks, ...fleet, ...time, others }),
  };

  function extend(task: OpenTask, holder: Holder, leaseMs: number): Choice {
    checkHolder(task.row, holder);
    return { renew: extension(task.row, leaseMs, tasks.moves.circumstances(task, holder.worker)) };
  }
}

/** Everything that moves tasks. */
function taskParts(options: EngineOptions, known: Catalog, width: number) {
  const nodeId = options.ids.next();
  const signs = beats(options, known);
  const counted = depths(options, known);
  const told = announcements(options, { catalog: known, depths: counted });
  const counts = statistics(options, known);
  const { bus, telemetry } = options;
  const after = effects({ bus, telemetry, told, tallies: counts.tallies, server: nodeId });
  const copies = held();
  const exchange = exchanger(options, { held: copies, effects: after, width });
  const locked = lockedMoves(options, { catalog: known, held: copies, effects: after, width });
  const change = moves(options, { catalog: known, held: copies, exchanger: exchange, locked });
  const rows = lanes(options, known);
  const returns = givingBack(options, change);
  const fits = fitness({ catalog: known, givingBack: returns, schemas: options.schemas ?? null });
  const reports = progressReports(options, change);
  const beside = recordsBeside(options);
  const places = seats(options, known);
  const dispatch = dispatcher(options, {
    ...{ catalog: known, beats: signs, exchanger: exchange, effects: after, fitness: fits, server: nodeId },
  });
  return {
    nodeId,
    catalog: known,
    beats: signs,
    announcements: told,
    effects: after,
    statistics: counts,
    held: copies,
    exchanger: exchange,
    locked,
    moves: change,
    lanes: rows,
    depths: counted,
    submitter: submitter(options, { catalog: known, lanes: rows, effects: after, depths: counted, width }),
    givingBack: returns,
    dispatcher: dispatch,
    claim: limitedClaims(options, { catalog: known, seats: places, claim: dispatch.claim }),
    take: taking(options, { catalog: known, beats: signs, moves: change, fitness: fits, seats: places }),
    takeMany: takingMany(options, {
      ...{
        catalog: known,
        beats: signs,
        held: copies,
        exchanger: exchange,
        moves: change,
        fitness: fits,
        seats: places,
      },
    }),
    cards: cardLooks(options, copies),
    marking: marking(options, { catalog: known, effects: after, held: copies }),
    signsOfLife: signsOfLife(options, { moves: change, held: copies }),
    cancelling: cancelling(options, change),
    counting: counting(options, { catalog: known, effects: after }),
    progress: reports,
    records: beside,
    conclude: concluding(options, { moves: change, progress: reports, records: beside }),
    waits: waits(options),
    targets: targetAnswers(),
    brokerLooks: brokerLooks(options, options.courier),
  };
}

type TaskParts = ReturnType<typeof taskParts>;

/** Everything about jobs and workers. */
function fleetParts(options: EngineOptions, tasks: TaskParts) {
  const partings = lettingGo(options, tasks);
  const fleet = workers(options, { catalog: tasks.catalog, beats: tasks.beats, lettingGo: partings });
  const losses = losing(options, { workers: fleet, lettingGo: partings });
  const evicting = evictions(options, { catalog: tasks.catalog, lettingGo: partings });
  return {
    workers: fleet,
    jobs: jobs(options, tasks.catalog, options.categories),
    alerts: alerts(options, tasks),
    specs: specs(options, tasks.catalog, options.categories),
    providers: providers(options, { catalog: tasks.catalog, categories: options.providerCategories ?? null }),
    providerReads: providerReads(options),
    losing: losses,
    control: control(options, tasks.catalog),
    deliveries: deliveries(options, tasks.catalog),
    evictions: evicting,
    drains: drains(options, tasks.catalog),
    acts: acts(options),
    agenda: agenda(options, { catalog: tasks.catalog, evictions: evicting }),
    absences: absences(options, { losing: losses, beats: tasks.beats }),
  };
}

/** Everything that happens by itself. */
function timeParts(options: EngineOptions, tasks: TaskParts, fleet: ReturnType<typeof fleetParts>) {
  const { pulseMs, profiles } = options.settings;
  const listening = hearing({ startedAt: options.clock.now(), pulseMs, profiles });
  const { courier } = options;
  const told = courier === undefined ? null : publishing(options, { ...tasks, courier, hearing: listening });
  const promoted = (answer: Promoted): void => {
    tasks.dispatcher.hint(answer.lanes);
    tasks.announcements.promoted(answer);
    told?.promoted(answer);
  };
  const steps = sweepSteps(options, {
    ...{ ...tasks, ...fleet, hearing: listening, promoted, publishing: told },
    toldStates: toldStates(options, listening),
  });
  const sweep = sweeper(options, steps);
  tasks.effects.onDue((at) => sweep.wakeAt(at));
  tasks.effects.onSomeFreed(() => sweep.watch());
  told?.onUp(() => sweep.wakeAt(options.clock.now()));
  tasks.catalog.onChange(() => {
    const at = fleet.agenda.nextAt();
    if (at !== null) sweep.wakeAt(at);
  });
  const pulse = heart(options, {
    catalog: tasks.catalog,
    dispatcher: tasks.dispatcher,
    sweeper: sweep,
    hearing: listening,
    publishing: told,
    agenda: fleet.agenda,
    nodeId: tasks.nodeId,
    ...(options.adjustClock === undefined ? {} : { adjustClock: options.adjustClock }),
    ...(options.offsetMs === undefined ? {} : { offsetMs: options.offsetMs }),
    load: () => ({ ...options.load?.(), workers: tasks.beats.listening(), tasks: tasks.held.size() }),
  });
  return { sweeper: sweep, heart: pulse, publishing: told, hearing: listening };
}

interface Living extends TaskParts {
  readonly absences: ReturnType<typeof absences>;
  readonly beats: ReturnType<typeof beats>;
  readonly providerReads: ProviderReads;
  readonly sweeper: ReturnType<typeof sweeper>;
  readonly heart: Heart;
  readonly publishing: ReturnType<typeof publishing> | null;
  readonly dispatcher: Dispatcher;
  readonly catalog: Catalog;
  /** Null where there can be no other servers. */
  readonly others: NewLanes | null;
}

function lifecycle({ store, bus, log }: EngineOptions, parts: Living) {
  let deafen = (): void => {};

  async function start(): Promise<void> {
    await bus.start();
    deafen = bus.subscribe("catalog", () => {
      parts.catalog.refresh().catch((error) => log.warn("the catalog could not be read", { error }));
    });
    await parts.catalog.refresh();
    await parts.heart.start();
  }

  async function stop(): Promise<void> {
    parts.absences.stop();
    parts.others?.stop();
    parts.dispatcher.stop();
    parts.givingBack.stop();
    parts.waits.stop();
    parts.providerReads.stop();
    parts.progress.stop();
    await parts.sweeper.stop();
    await parts.submitter.quiet();
    await parts.exchanger.quiet();
    await parts.locked.quiet();
    await parts.marking.quiet();
    await parts.publishing?.stop();
    await parts.records.quiet();
    await parts.beats.stop();
    await parts.statistics.stop(parts.heart.latest() === null);
    await parts.heart.stop();
    deafen();
    await bus.stop();
    await store.stop();
  }

  return { start, stop };
}
