// A job's full name, taken apart as the server does it: at its first two colons.

export interface JobPath {
  readonly room: string;
  readonly category: string;
  readonly name: string;
  /** The full name as it stands in a path; slashes are its own. */
  readonly url: string;
}

export function jobPath(fullName: string): JobPath {
  const [, room, category, name] = /^([^:]*):([^:]*):(.*)$/s.exec(fullName) ?? [];
  if (room === undefined || category === undefined || name === undefined) {
    throw new TypeError(`'${fullName}' is no full job name: it has to be room:category:name`);
  }
  return { room, category, name, url: fullName.split("/").map(encodeURIComponent).join("/") };
}

/** A name of two parts is of the room. */
export function inRoom(name: string, room: string): string {
  return name.split(":").length === 2 ? `${room}:${name}` : name;
}
