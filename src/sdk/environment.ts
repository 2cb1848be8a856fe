// Where a program finds its server when nobody told it: the words that Leadhand clients read.

export interface Whereabouts {
  readonly url: string;
  readonly token: string | null;
}

/** Where the message broker is, and what its queues are for, as the server reads it. */
export interface BrokerWhereabouts {
  readonly url: string | null;
  /** JSON, queue to "job", "serial" or "operation". */
  readonly queues: string | null;
  readonly deadLetters: { readonly exchange?: string; readonly queue?: string };
}

/** LEADHAND_AMQP_URL, LEADHAND_AMQP_QUEUES, LEADHAND_AMQP_DEAD_LETTER and LEADHAND_AMQP_DEAD_LETTER_QUEUE. */
export function brokerWhereabouts(): BrokerWhereabouts {
  const { LEADHAND_AMQP_URL: url, LEADHAND_AMQP_QUEUES: queues } = process.env;
  const { LEADHAND_AMQP_DEAD_LETTER: exchange, LEADHAND_AMQP_DEAD_LETTER_QUEUE: queue } = process.env;
  const deadLetters = { ...(exchange && { exchange }), ...(queue && { queue }) };
  return { url: url || null, queues: queues || null, deadLetters };
}

/** Any other word of the environment; null where it is not set. */
export function variable(name: string): string | null {
  return process.env[name] ?? null;
}

const urlDefault = "http://127.0.0.1:7070";

/** LEADHAND_URL and LEADHAND_TOKEN. */
export function whereabouts(): Whereabouts {
  const { LEADHAND_URL: url, LEADHAND_TOKEN: token } = process.env;
  return { url: url || urlDefault, token: token || null };
}
