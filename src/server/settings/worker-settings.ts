// When a worker counts as silent, lost and gone, for each door it may have come in by; see core/liveness.ts.

import { stuckBases } from "../../core/liveness.ts";
import { choice, type Derived, duration } from "./kinds.ts";

const times = (from: string, factor: number): Derived => ({ from, times: factor });

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

export const workerSettings = {
  restLostMs: duration({
    env: "LEADHAND_WORKER_TIMEOUT_SECONDS",
    default: 60 * second,
    help: "REST: a worker that has not beaten for so long is lost",
  }),
  restBeatMs: duration({
    env: "LEADHAND_WORKER_HEARTBEAT_INTERVAL_SECONDS",
    default: times("restLostMs", 1 / 2),
    help: "REST: how often a worker should beat",
  }),
  restStartWithinMs: duration({
    env: "LEADHAND_START_WITHIN",
    default: 5 * minute,
    help: "REST: a claimed task that was not started by then goes back",
  }),
  socketGraceMs: duration({
    env: "LEADHAND_SOCKET_GRACE",
    default: 5 * second,
    min: 0,
    help: "Socket.IO: time for a dropped connection to come back before its workers are cleaned up",
  }),
  fleetUnreachableMs: duration({
    env: ["LEADHAND_WORKER_UNREACHABLE_THRESHOLD_MS", "WORKER_UNREACHABLE_THRESHOLD_MS"],
    default: 2 * minute,
    help: "fleet: a worker without a ping for so long is UNREACHABLE and gets no new tasks",
  }),
  fleetLostMs: duration({
    env: ["LEADHAND_WORKER_OFFLINE_THRESHOLD_MS", "WORKER_OFFLINE_THRESHOLD_MS"],
    default: times("fleetUnreachableMs", 3),
    help: "fleet: then it is OFFLINE and its tasks fail",
  }),
  fleetStuckTaskMs: duration({
    env: ["LEADHAND_BLACKBOARD_STUCK_JOB_TIMEOUT", "BLACKBOARD_STUCK_JOB_TIMEOUT"],
    default: times("fleetLostMs", 2),
    help: "fleet: a task held longer fails even if its worker still pings",
  }),
  fleetStuckBasis: choice({
    env: ["LEADHAND_BLACKBOARD_STUCK_JOB_BASIS", "BLACKBOARD_STUCK_JOB_BASIS"],
    default: "polledAt",
    choices: stuckBases,
    help: "fleet: since when a task is held too long: its poll, or its last sign of life",
  }),
  fleetRemovedMs: duration({
    env: ["LEADHAND_WORKER_OFFLINE_DELETE_THRESHOLD_MS", "WORKER_OFFLINE_DELETE_THRESHOLD_MS"],
    default: 24 * hour,
    help: "fleet: a worker OFFLINE for so long is deleted",
  }),
  fleetBeatMs: duration({
    env: "LEADHAND_HEARTBEAT_INTERVAL",
    default: times("fleetUnreachableMs", 1 / 6),
    help: "fleet: how often a worker is asked to ping",
  }),
  workLostMs: duration({
    env: "LEADHAND_WORK_LOST_AFTER",
    default: 5 * second,
    help: "/work: a worker without a heartbeat for so long is lost",
  }),
  workBeatMs: duration({
    env: "LEADHAND_WORK_HEARTBEAT_INTERVAL",
    default: times("workLostMs", 1 / 5),
    help: "/work: how often worker and server give a sign of life",
  }),
  workAckWithinMs: duration({
    env: "LEADHAND_WORK_ACK_WITHIN",
    default: 2 * second,
    help: "/work: an assignment not acknowledged by then goes back",
  }),
  internalLostMs: duration({
    env: "LEADHAND_INTERNAL_LOST_AFTER",
    default: 10 * second,
    help: "internal jobs: what a server that has been silent for so long was running is run again",
  }),
  internalBeatMs: duration({
    env: "LEADHAND_INTERNAL_HEARTBEAT_INTERVAL",
    default: times("internalLostMs", 1 / 10),
    help: "internal jobs: how often a server gives a sign of life and looks after what it runs",
  }),
  amqpLeaseMs: duration({
    env: "LEADHAND_JOB_LEASE_SECONDS",
    default: 2 * minute,
    help: "RabbitMQ: a task's lease, and what each extension adds",
  }),
  amqpBeatMs: duration({
    env: "LEADHAND_JOB_HEARTBEAT_INTERVAL_SECONDS",
    default: times("amqpLeaseMs", 1 / 4),
    min: 1 * second,
    help: "RabbitMQ: how often a worker extends its lease",
  }),
  amqpRemovedMs: duration({
    env: "LEADHAND_AMQP_WORKER_KEEP",
    default: 24 * hour,
    help: "RabbitMQ: how long a lost worker is kept",
  }),
  amqpTimeoutMs: duration({
    env: "LEADHAND_REAPER_TIMEOUT_SECONDS",
    default: 6 * hour,
    help: "RabbitMQ: a task running longer, and silent, has timed out",
  }),
  amqpStallMs: duration({
    env: "LEADHAND_REAPER_STALL_SECONDS",
    default: 30 * minute,
    min: 0,
    help: "RabbitMQ: silent is a task without an event for so long",
  }),
  amqpEventGraceMs: duration({
    env: "LEADHAND_LEASE_EVENT_GRACE_SECONDS",
    default: 0,
    min: 0,
    help: "RabbitMQ: a task whose lease ended is left alone while its last event is younger; 0 is off",
  }),
};
