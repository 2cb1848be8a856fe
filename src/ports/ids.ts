/** UUIDv7, each greater than the one before it. */
export interface Ids {
  next(): string;
}
