// Wake-ups between servers. Best effort, at most once: losing a message may cost time, never correctness.

/**
 * supply:<lane> with the name of the server that says so, task:<id>, log:<task>, worker:<id>, provider:<id>:<hash>,
 * catalog; and for whoever looks on, with an event's name and data as JSON: room:<room>, jobs:<full name>,
 * providers:<full name>, and feed for whoever looks at all rooms
 */
export type Topic = string;

/** Wake-ups between servers; its promise is a contract of `leadhand/testing`. */
export interface Bus {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** To every listener of the topic, on every server, this one included. Returns at once; call it after the commit. */
  publish(topic: Topic, message?: string): void;
  /** Whether anyone, here or on another server, listens: what nobody wants need not be built. */
  wanted(topic: Topic): boolean;
  /** How many other servers share the store: where there are none, there is nobody to be told anything. */
  company(otherServers: number): void;
  /** Returns what ends the subscription. */
  subscribe(topic: Topic, listener: (message: string) => void): () => void;
}
