// Sizes of stages and measurements: as they are, or [in full, when quick].

export type Size = readonly [full: number, quick: number];
export type Sizes = Readonly<Record<string, number | Size>>;
export type Sized = (sizes: Sizes) => Readonly<Record<string, number>>;

export function sizes(quick: boolean): Sized {
  return (given) =>
    Object.fromEntries(
      Object.entries(given).map(([name, size]) => [name, typeof size === "number" ? size : size[quick ? 1 : 0]]),
    );
}
