// Pausing, draining and resizing: from the menu of a tile, of a group, and from the page of a worker.

import { createContext, type ReactNode, use, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Menu } from "../../parts/menu.tsx";
import { ActDialog } from "./act-dialog.tsx";
import { type ActName, actWords, type Target } from "./act-words.ts";
import { isGone } from "./gone.ts";
import type { Group } from "./groups.ts";
import { nameOf, type Worker } from "./worker.ts";

type Begin = (act: ActName, target: Target) => void;

const Context = createContext<Begin>(() => {});

/** One dialog for all of a page: a thousand tiles only say what is wanted. */
export function FleetActs({ children }: { readonly children: ReactNode }) {
  const [asked, setAsked] = useState<{ readonly act: ActName; readonly target: Target } | null>(null);
  const [begin] = useState<Begin>(() => (act: ActName, target: Target) => setAsked({ act, target }));
  return (
    <Context value={begin}>
      {children}
      {asked && <ActDialog {...asked} onClose={() => setAsked(null)} />}
    </Context>
  );
}

function targetOf(worker: Worker): Target {
  return { title: nameOf(worker), workers: [worker], label: null };
}

/** Whether something may be done to it, by whoever looks at it. */
function isOpenToActs(worker: Worker): boolean {
  return worker.may.operate && !isGone(worker);
}

/** What makes sense for it now. */
function actsFor(workers: readonly Worker[]): readonly ActName[] {
  const some = (isSo: (worker: Worker) => boolean) => workers.some(isSo);
  const possible: readonly (readonly [ActName, boolean])[] = [
    ["pause", some(({ paused }) => !paused)],
    ["resume", some(({ paused, draining }) => paused || draining)],
    ["drain", some(({ draining }) => !draining)],
    ["resize", true],
  ];
  return possible.filter(([, isSo]) => isSo).map(([act]) => act);
}

export function WorkerMenu({ worker }: { readonly worker: Worker }) {
  const begin = use(Context);
  if (!isOpenToActs(worker)) return null;
  const target = targetOf(worker);
  const items = actsFor([worker]).map((act) => ({ label: actWords[act].menu, onSelect: () => begin(act, target) }));
  return <Menu label="⋯" name={`Act on ${target.title}`} items={items} testId="worker-menu" quiet />;
}

interface GroupMenuProps {
  readonly group: Group;
  readonly word?: string;
  readonly testId?: string;
}

/** Of the whole group those that are his to act on. */
export function GroupMenu({ group, word = "Act on all", testId = "group-menu" }: GroupMenuProps) {
  const begin = use(Context);
  const { title, label } = group;
  const workers = group.workers.filter(isOpenToActs);
  if (workers.length === 0) return null;
  const acts: readonly ActName[] = label === null ? actsFor(workers) : [...actsFor(workers), "roll"];
  const target = { title, workers, label };
  const items = acts.map((act) => ({ label: actWords[act].menu, onSelect: () => begin(act, target) }));
  return <Menu label={`${word} ▾`} name={`${word}: ${title}`} items={items} testId={testId} quiet />;
}

/** The same as buttons, where there is room. */
export function WorkerButtons({ worker }: { readonly worker: Worker }) {
  const begin = use(Context);
  if (!isOpenToActs(worker)) return null;
  return actsFor([worker]).map((act) => (
    <Button
      key={act}
      kind={act === "drain" ? "danger" : "plain"}
      data-testid={`worker-${act}`}
      onClick={() => begin(act, targetOf(worker))}
    >
      {actWords[act].menu.replace("…", "")}
    </Button>
  ));
}
