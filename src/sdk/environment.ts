// Where a program finds its server when nobody told it: the two words that every Leadhand client reads.

export interface Whereabouts {
  readonly url: string;
  readonly token: string | null;
}

const urlDefault = "http://127.0.0.1:7070";

/** LEADHAND_URL and LEADHAND_TOKEN. */
export function whereabouts(): Whereabouts {
  const { LEADHAND_URL: url, LEADHAND_TOKEN: token } = process.env;
  return { url: url || urlDefault, token: token || null };
}
