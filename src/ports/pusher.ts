// How a request of a push job leaves the house. The pusher carries; what is sent and what an answer means is the
// engine's. It connects only to addresses that the rules of this server allow, however a name resolves.

import type { PushAnswer } from "../core/push-answer.ts";

export interface PushRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
  readonly timeoutMs: number;
}

export interface Pusher {
  /** Never throws, and follows no redirect. An abort ends the request where it is. */
  post(request: PushRequest, signal: AbortSignal): Promise<PushAnswer>;
}
