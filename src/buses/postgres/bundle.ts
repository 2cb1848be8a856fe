// The wire: everything a server has to say at one moment is one bundle, one JSON text, cut into as many payloads as
// NOTIFY needs. They travel in one transaction, so they arrive together and in order.

export interface Bundle {
  /** Topic and message, in the order they were published. */
  readonly messages?: readonly (readonly [topic: string, message: string])[];
  /** Hashes of topics the server has begun to listen to, packed. */
  readonly wants?: string;
  /** Hashes of all topics it listens to, packed; replaces what was known. */
  readonly wantsAll?: string;
  /** Counts the announcements; hearing its own tells a server that it is not deaf. */
  readonly probe?: number;
  /** A server that has just begun to hear asks the others to announce themselves. */
  readonly hello?: true;
  /** It will not be heard of again. */
  readonly bye?: true;
}

/** PostgreSQL refuses payloads of 8,000 bytes and more. */
export const payloadBytesMax = 7_999;

/** `<node> <bundle> <index> <count> <piece of the JSON text>`. The numbers also keep equal pieces apart, which NOTIFY
 * would merge. */
export function payloadsOf(node: string, number: number, bundle: Bundle): string[] {
  const text = asciiJson(bundle);
  // Room for two counts of up to five digits.
  const room = payloadBytesMax - `${node} ${number} `.length - 12;
  const count = Math.ceil(text.length / room);
  return Array.from(
    { length: count },
    (_, index) => `${node} ${number} ${index} ${count} ${text.slice(index * room, (index + 1) * room)}`,
  );
}

export interface Received {
  readonly node: string;
  readonly bundle: Bundle;
}

/** Puts payloads together again; one for each connection, since a new connection begins with a whole bundle. */
export function bundleReader(): { read(payload: string): Received | null } {
  const partial = new Map<string, string[]>();

  return {
    read(payload) {
      const header = /^(\S+) (\d+) (\d+) (\d+) /.exec(payload);
      if (header === null) return null;
      const [prefix, node, , index, count] = header as unknown as [string, string, string, string, string];
      const piece = payload.slice(prefix.length);
      if (count === "1") return parsed(node, piece);
      const pieces = index === "0" ? [] : partial.get(node);
      // The beginning was sent before we listened.
      if (pieces?.length !== Number(index)) return null;
      pieces.push(piece);
      if (pieces.length < Number(count)) {
        partial.set(node, pieces);
        return null;
      }
      partial.delete(node);
      return parsed(node, pieces.join(""));
    },
  };
}

/** Anyone may notify on our channel; what is no bundle is nobody's. */
function parsed(node: string, text: string): Received | null {
  try {
    const bundle: unknown = JSON.parse(text);
    return isBundle(bundle) ? { node, bundle } : null;
  } catch {
    return null;
  }
}

function isBundle(value: unknown): value is Bundle {
  if (typeof value !== "object" || value === null) return false;
  const { messages = [], wants = "", wantsAll = "", probe = 0 } = value as Partial<Record<keyof Bundle, unknown>>;
  const areTexts = [wants, wantsAll].every((text) => typeof text === "string") && typeof probe === "number";
  return areTexts && Array.isArray(messages) && messages.every(isMessage);
}

function isMessage(value: unknown): boolean {
  return Array.isArray(value) && typeof value[0] === "string" && typeof value[1] === "string";
}

/** ASCII alone: one character is one byte, and the database's encoding does not matter. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
