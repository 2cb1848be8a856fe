// Who is there. A worker's state is the age of its last beat on a ladder, derived when read; what follows from it
// happens in the sweep. A profile is the set of defaults of the door a worker came in by.
//
//   ONLINE ──unreachableMs──► UNREACHABLE ──lostMs──► OFFLINE ──removedMs──► DELETED

import type { OnWorkerLost } from "./policy.ts";

export const workerStates = ["ONLINE", "UNREACHABLE", "OFFLINE", "DELETED"] as const;
export type WorkerState = (typeof workerStates)[number];

export const stuckBases = ["polledAt", "lastProgressAt"] as const;
export type StuckBasis = (typeof stuckBases)[number];

export interface Profile {
  readonly beatMs: number;
  /** Null: the profile knows no state between online and lost. */
  readonly unreachableMs: number | null;
  readonly lostMs: number;
  /** How long a lost worker is kept. Zero: it goes with its loss. */
  readonly removedMs: number;
  readonly onWorkerLost: OnWorkerLost;
  readonly lostCode: string;
  readonly removedCode: string;
  /** Whether each task carries a lease of its own beside the worker's session. */
  readonly ownLeaseMs: number | null;
  /** A task whose own lease ended is left alone while its last event is younger. */
  readonly eventGraceMs: number;
  /** A claim not started by then goes back. */
  readonly startWithinMs: number | null;
  /** A task held longer than this is failed even if its worker still beats. */
  readonly stuckTaskMs: number | null;
  /** Since when a task is held too long: since its claim, or since it last gave a sign of life. */
  readonly stuckBasis: StuckBasis;
  readonly stuckCode: string;
  readonly stuckMessage: string;
  /** Running longer than this, and silent for stallMs, is a timeout. */
  readonly timeoutMs: number | null;
  readonly stallMs: number | null;
}

export const profileNames = ["rest", "fleet", "work", "amqp", "internal", "push"] as const;
export type ProfileName = (typeof profileNames)[number];
export type Profiles = Readonly<Record<ProfileName, Profile>>;

/** Of workers that are told nothing unless they ask: what there is for them comes with the answer to a beat. */
export const askingProfiles = ["rest", "amqp"] as const;
export type AskingProfile = (typeof askingProfiles)[number];

export function isAsking(profile: ProfileName): profile is AskingProfile {
  return (askingProfiles as readonly ProfileName[]).includes(profile);
}

/** By which door workers of a profile come in; the last two are the server's own. */
export const doors = {
  rest: "rest",
  fleet: "fleet",
  work: "work",
  amqp: "amqp",
  internal: "server",
  push: "server",
} as const satisfies Record<ProfileName, string>;

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

const noDeadlines = {
  eventGraceMs: 0,
  startWithinMs: null,
  stuckTaskMs: null,
  stuckBasis: "polledAt" as StuckBasis,
  stuckCode: "STUCK_JOB_TIMEOUT",
  stuckMessage: "Held longer than allowed",
  timeoutMs: null,
  stallMs: null,
};

export const defaultProfiles: Profiles = {
  rest: {
    ...noDeadlines,
    beatMs: 30 * second,
    unreachableMs: null,
    lostMs: 60 * second,
    removedMs: 0,
    onWorkerLost: "fail",
    lostCode: "worker_lost",
    removedCode: "worker_lost",
    ownLeaseMs: null,
    startWithinMs: 5 * minute,
  },
  fleet: {
    ...noDeadlines,
    beatMs: 20 * second,
    unreachableMs: 2 * minute,
    lostMs: 6 * minute,
    removedMs: 24 * hour,
    onWorkerLost: "fail",
    lostCode: "WORKER_OFFLINE",
    removedCode: "WORKER_DELETED",
    ownLeaseMs: null,
    stuckTaskMs: 12 * minute,
  },
  work: {
    ...noDeadlines,
    beatMs: 1 * second,
    unreachableMs: null,
    lostMs: 5 * second,
    removedMs: 0,
    onWorkerLost: "requeue",
    lostCode: "worker_lost",
    removedCode: "worker_lost",
    ownLeaseMs: null,
  },
  amqp: {
    ...noDeadlines,
    beatMs: 30 * second,
    unreachableMs: null,
    lostMs: 120 * second,
    removedMs: 24 * hour,
    onWorkerLost: "requeue",
    lostCode: "lease_expired",
    removedCode: "lease_expired",
    ownLeaseMs: 120 * second,
    timeoutMs: 6 * hour,
    stallMs: 30 * minute,
  },
  internal: {
    ...noDeadlines,
    beatMs: 1 * second,
    unreachableMs: null,
    lostMs: 10 * second,
    removedMs: 0,
    onWorkerLost: "requeue",
    lostCode: "worker_lost",
    removedCode: "worker_lost",
    ownLeaseMs: null,
    stuckTaskMs: 1 * hour,
    stuckCode: "INTERNAL_WORKER_TIMEOUT",
    stuckMessage: "Internal worker timeout",
  },
  // One worker for all servers, which is never silent while one of them runs. Each task has a lease of its own instead:
  // short while a request is under way, so that what a dead server had sent is sent again soon.
  push: {
    ...noDeadlines,
    beatMs: 1 * hour,
    unreachableMs: null,
    lostMs: 30 * 24 * hour,
    removedMs: 0,
    onWorkerLost: "requeue",
    lostCode: "lease_expired",
    removedCode: "lease_expired",
    ownLeaseMs: 15 * second,
  },
};

/** For a worker of a newer release's door, in the middle of a rolling upgrade: nothing is lost, and it is kept. */
const unknownProfile: Profile = { ...defaultProfiles.work, removedMs: 24 * hour };

export function profileOf(profiles: Profiles, name: ProfileName): Profile {
  return profiles[name] ?? unknownProfile;
}

/** The signs of life of one worker. */
export interface Session {
  readonly seenAt: number;
  readonly unreachableMs: number | null;
  readonly lostMs: number;
  /** Set by the fence, or by a goodbye: from then on nothing the session holds counts. */
  readonly lostAt: number | null;
  readonly removedAt: number | null;
  /** Which of the two its history says; a profile that knows no UNREACHABLE leaves it at ONLINE. */
  readonly told: ToldState;
}

/** States that change by themselves, with time or with a beat. */
export type ToldState = Extract<WorkerState, "ONLINE" | "UNREACHABLE">;

/** The threshold itself belongs to the later state. */
export function workerState(session: Session, now: number): WorkerState {
  if (session.removedAt !== null) return "DELETED";
  const age = now - session.seenAt;
  if (session.lostAt !== null || age >= session.lostMs) return "OFFLINE";
  if (session.unreachableMs !== null && age >= session.unreachableMs) return "UNREACHABLE";
  return "ONLINE";
}

/** Fenced or removed: it may come back only by registering again. */
export function isGivenUp(session: Session): boolean {
  return session.lostAt !== null || session.removedAt !== null;
}

export function isLost(session: Session, now: number): boolean {
  return session.lostAt === null && session.removedAt === null && now - session.seenAt >= session.lostMs;
}

/** What its history has to say next; null where it says it already, or the session is over. */
export function untold(session: Session, now: number): ToldState | null {
  if (session.unreachableMs === null || isGivenUp(session)) return null;
  const state = now - session.seenAt >= session.unreachableMs ? "UNREACHABLE" : "ONLINE";
  return state === session.told ? null : state;
}

/** When something becomes due if no further beat arrives: its end, or what its history has to say; that may be at once. */
export function nextChangeAt(session: Session, now: number): number {
  const { seenAt, unreachableMs, lostMs, told } = session;
  if (unreachableMs === null) return seenAt + lostMs;
  if (told === "ONLINE") return seenAt + Math.min(unreachableMs, lostMs);
  return untold(session, now) === null ? seenAt + lostMs : seenAt;
}

/** When the session ends if no further beat arrives. */
export function lostDueAt(session: Session): number {
  return session.seenAt + session.lostMs;
}

/** The shortest silence after which something is said of the worker. */
export function shortestWindowMs({ unreachableMs, lostMs }: Pick<Session, "unreachableMs" | "lostMs">): number {
  return Math.min(unreachableMs ?? lostMs, lostMs);
}

/**
 * Beats younger than a quarter of the window need not be written. Where a worker may be unreachable, other servers have
 * to know soon that it is not: there, nearly every beat is.
 */
export function beatIsWorthWriting(
  writtenAt: number,
  { unreachableMs, lostMs }: Pick<Session, "unreachableMs" | "lostMs">,
  now: number,
): boolean {
  return now - writtenAt >= (unreachableMs === null ? lostMs / 4 : unreachableMs / 12);
}

/** What is written is so old that somebody may be about to act on it: a beat is then written before it is answered. */
export function isBeatUrgent(writtenAt: number, { lostMs }: Pick<Session, "lostMs">, now: number): boolean {
  return now - writtenAt >= (3 * lostMs) / 4;
}

/** A server that could not hear its workers listens for so long before it gives one up. */
export function listenMs({ unreachableMs, lostMs }: Pick<Session, "unreachableMs" | "lostMs">): number {
  return unreachableMs ?? lostMs;
}

/** How long a task's holder may be silent before the task is no longer its own; for ever where there is none. */
export function holderWindowMs(profile: Profile | null): number {
  if (profile === null) return Number.POSITIVE_INFINITY;
  return Math.min(profile.lostMs, profile.ownLeaseMs ?? Number.POSITIVE_INFINITY);
}

/** How long workers may be silent before they are lost, by their profiles: the shortest first. */
export function windowsOf(profiles: Profiles): readonly number[] {
  return [...new Set(Object.values(profiles).map(({ lostMs }) => lostMs))].sort((a, b) => a - b);
}

/** A tick that came later than this has not heard those workers whose window is the shortest. */
export function lateTickMs(profiles: Profiles): number {
  return (windowsOf(profiles)[0] as number) / 5;
}

/**
 * What was said in a moment like this, in which a server did not listen, comes late; in a longer one it may have been given
 * up by whoever said it.
 */
export const momentMs = 30_000;
