// What workers of the fleet say about themselves and their blocks beyond what every worker says: kept as JSON text.

import type { FbType } from "../../../core/block.ts";

export interface BlockWords {
  readonly runOn: string | null;
  readonly fbType: FbType | null;
  readonly isPure: boolean;
  readonly isIdempotent: boolean;
}

export interface FleetAbout {
  readonly version?: string | null;
  readonly ipAddress?: string | null;
  readonly concurrency?: number | null;
  /** It understands what operators tell it: see `hearsCommands`. */
  readonly commands?: boolean;
  /** By id. */
  readonly blocks?: Readonly<Record<string, BlockWords>>;
}

export function aboutOf({ about }: { readonly about: string | null }): FleetAbout {
  return about === null ? {} : (JSON.parse(about) as FleetAbout);
}

/** The new words over the old ones; what is not said stays. */
export function aboutText(before: FleetAbout, words: FleetAbout): string {
  const said = Object.entries(words).filter(([, value]) => value !== undefined && value !== null);
  return JSON.stringify({ ...before, ...Object.fromEntries(said) });
}
