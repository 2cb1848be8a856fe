// A browser of a test's own: it keeps the cookie that it was given, and shows it.

import assert from "node:assert/strict";
import type { Reply, RestScene } from "./scene.ts";

export interface Browser {
  readonly cookie: string;
  readonly csrf: string;
  readonly session: Reply;
  /** Below /v1, with the cookie alone. */
  send(method: string, path: string, headers?: Record<string, string>, body?: object): Promise<Reply>;
  /** With everything that a page of ours sends. */
  act(method: string, path: string, body?: object): Promise<Reply>;
}

type Shown = { readonly token: string } | { readonly code: string };

export function knock(scene: Pick<RestScene, "send">, shown: object, headers: Record<string, string> = {}) {
  return scene.send("POST", "/v1/session", { headers, body: JSON.stringify(shown) });
}

export async function signIn(scene: RestScene, shown: Shown): Promise<Browser> {
  const session = await knock(scene, shown);
  assert.equal(session.status, 200, session.text);
  const cookie = (session.headers.get("set-cookie") ?? "").split(";")[0] as string;
  const { csrf } = session.body;
  const send: Browser["send"] = (method, path, headers = {}, body) =>
    scene.send(method, `/v1${path}`, {
      headers: { cookie: `other=1; ${cookie}`, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return {
    ...{ cookie, csrf, session, send },
    act: (method, path, body) => send(method, path, { "x-leadhand-csrf": csrf, origin: scene.url }, body),
  };
}
