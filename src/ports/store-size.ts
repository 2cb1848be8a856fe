// How large a database is: what can be told without reading all of it.

export interface StoreSize {
  readonly kind: "memory" | "sqlite" | "postgres";
  /** Of the database's program. */
  readonly version: string | null;
  readonly bytes: number;
  /** Of the log that is yet to be copied into the file; null where there is none beside it. */
  readonly walBytes: number | null;
  /** By name. */
  readonly tables: readonly TableSize[];
  /** Those that were run, in order; one that this release does not know has no name. */
  readonly migrations: readonly { readonly version: number; readonly name: string | null }[];
}

export interface TableSize {
  readonly name: string;
  /** An estimate where there are many; null where there is none. */
  readonly rows: number | null;
  /** With its indexes; null where the database does not keep count. */
  readonly bytes: number | null;
}
