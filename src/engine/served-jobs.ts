// Which jobs a worker had when it was removed. Its links go, so that its jobs can; this stays on the tombstone, for those
// who ask later who could have done something.

const key = "@served";

/** Of one with more jobs, these stand for all. */
const namesMax = 100;

/** What a worker said about itself, with the jobs it had. */
export function withServed(about: string | null, jobs: Iterable<string>): string {
  return JSON.stringify({ ...read(about), [key]: [...jobs].slice(0, namesMax) });
}

export function servedBy(about: string | null): readonly string[] {
  const served = read(about)[key];
  return Array.isArray(served) ? served : [];
}

/** As the worker said it: not everyone who may see the worker may see all of its jobs. */
export function withoutServed(about: string | null): string | null {
  if (about === null) return null;
  const { [key]: _, ...said } = read(about);
  return JSON.stringify(said);
}

function read(about: string | null): Readonly<Record<string, unknown>> {
  return about === null ? {} : (JSON.parse(about) as Readonly<Record<string, unknown>>);
}
