// Ids are UUIDv7: the creation time first, so that they sort by age and tables partition by them. Within one
// millisecond a counter keeps the order in which they were made.

/** 12 bits of counter follow the time; a millisecond that has used them up borrows from the next. */
export const uuid7CounterMax = 0xfff;

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function uuid7(atMs: number, counter: number, random: Uint8Array): string {
  const time = atMs.toString(16).padStart(12, "0");
  const sequence = counter.toString(16).padStart(3, "0");
  const byte = (index: number): string => hex[random[index] as number] as string;
  const variant = hex[0x80 | ((random[0] as number) & 0x3f)] as string;
  const node = byte(2) + byte(3) + byte(4) + byte(5) + byte(6) + byte(7);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence}-${variant}${byte(1)}-${node}`;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text is a UUID of any version, as we write them. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}

/** The id just below another; of the very first there is none, and it stays itself. */
export function uuidBefore(id: string): string {
  const number = BigInt(`0x${id.replaceAll("-", "")}`);
  const digits = (number === 0n ? number : number - 1n).toString(16).padStart(32, "0");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

export function uuid7Time(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** The smallest id that a task made at or after this time can have. */
export function uuid7Floor(atMs: number): string {
  return uuid7(atMs, 0, new Uint8Array(8));
}
