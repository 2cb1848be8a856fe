// What the server has told about itself so far: ids that are real, so that requests get past the first check. Only the
// latest are kept.

export interface Holding {
  readonly task: string;
  readonly lease: string;
  readonly worker: string;
}

export interface Known {
  /** Looks into an answer for ids. */
  learn(operation: string, token: string | null, body: unknown): void;
  /** What the marks of a request stand for; `token` is of whom the worker belongs to. */
  choose(what: number): { readonly values: Readonly<Record<string, string>>; readonly token: string | undefined };
}

const most = 60;

export function known(rooms: readonly string[]): Known {
  const tasks: string[] = [];
  const jobs: string[] = [];
  const held: Holding[] = [];
  const workers: string[] = [];
  const providers: { readonly id: string; readonly name: string }[] = [];
  const owners = new Map<string, string>();

  function keep<T>(list: T[], item: T): void {
    list.push(item);
    if (list.length > most) list.shift();
  }

  function learn(operation: string, token: string | null, body: unknown): void {
    // biome-ignore lint/suspicious/noExplicitAny: the answer has been held against its schema.
    const said = body as any;
    if (operation === "submitTask" || operation === "retryTask") keep(tasks, said.id);
    if (operation === "submitTasks") for (const { id } of said.items) keep(tasks, id);
    if (operation === "registerJob") {
      keep(jobs, said.full_name);
      learnWorker(said.worker_id, token);
    }
    if (operation === "registerProvider") {
      keep(providers, { id: said.id, name: said.full_name });
      learnWorker(said.worker_id, token);
    }
    if (operation === "createWorker") learnWorker(said.id, token);
    if (operation === "claimTask") learnHeld(said);
    if (operation === "claimTasks") for (const task of said.tasks ?? [said.task]) if (task !== null) learnHeld(task);
  }

  /** A push job has none. */
  function learnWorker(id: string | null, token: string | null): void {
    if (id === null) return;
    keep(workers, id);
    owners.set(id, token ?? "");
  }

  function learnHeld({ id, lease_token, worker_id }: Readonly<Record<string, string>>): void {
    keep(held, { task: id as string, lease: lease_token as string, worker: worker_id as string });
  }

  function choose(what: number) {
    const pick = <T>(list: readonly T[], salt: number): T | undefined => list[(what * 31 + salt * 17) % list.length];
    // Half of the requests are about a task that somebody holds.
    const holding = what % 2 === 0 ? pick(held, 1) : undefined;
    const provider = pick(providers, 7);
    const worker = holding?.worker ?? pick(workers, 2) ?? "";
    const values = {
      ...{ task: holding?.task ?? pick(tasks, 3) ?? "", worker, lease: holding?.lease ?? "none" },
      ...{ job: pick(jobs, 4) ?? "", room: pick(rooms, 5) ?? "", other: pick(tasks, 6) ?? "", key: `key-${what % 97}` },
      spec: `spec-${what % 7}`,
      ...{ provider: provider?.id ?? "", named: provider?.name ?? "" },
    };
    return { values, token: owners.get(worker) };
  }

  return { learn, choose };
}
