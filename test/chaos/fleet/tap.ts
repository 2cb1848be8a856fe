// Loaded before the program of a worker, and into each of its threads: notes when the server has answered a sign of life,
// whatever library has sent it. That is how the judges know who was alive.

import { subscribe } from "node:diagnostics_channel";
import { say } from "./words.ts";

interface Request {
  readonly method: string;
  readonly path: string;
}

const askedAt = new WeakMap<object, number>();
const ask = (request: object): void => void askedAt.set(request, Date.now());

function answered(request: Request, status: number | undefined): void {
  const [, worker] = /\/workers\/([^/?]+)(?:\/ping)?$/.exec(request.path) ?? [];
  const at = askedAt.get(request);
  const isBeat = request.method === "PATCH" || request.path.endsWith("/ping");
  if (isBeat && worker !== undefined && at !== undefined && status === 200)
    say({ heard: worker, at, answeredAt: Date.now() });
}

subscribe("http.client.request.start", (message) => ask((message as { request: Request }).request));
subscribe("http.client.response.finish", (message) => {
  const { request, response } = message as { request: Request; response: { statusCode?: number } };
  answered(request, response.statusCode);
});
subscribe("undici:request:create", (message) => ask((message as { request: Request }).request));
subscribe("undici:request:headers", (message) => {
  const { request, response } = message as { request: Request; response: { statusCode: number } };
  answered(request, response.statusCode);
});
