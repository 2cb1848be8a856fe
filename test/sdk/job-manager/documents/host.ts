// The application around the documents' examples: where its server is, and what its extensions work on.

import { io } from "socket.io-client";
import type { ApiManager } from "../../../../src/sdk/index.ts";

const { HOST_URL: baseUrl = "", HOST_TOKEN: token, HOST_SOCKET_URL: socketUrl, HOST_HANGS: hangs } = process.env;

export const api: ApiManager = {
  http: fetch,
  baseUrl,
  getHeaders: () => ({ Authorization: `Bearer ${token}` }),
  raiseForStatus(response) {
    if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
  },
};

export const tsio = socketUrl === undefined ? undefined : io(socketUrl);

export const vis = {
  async rotate(angle: number): Promise<void> {
    if (hangs !== undefined) await new Promise(() => setInterval(() => undefined, 1_000));
    console.log(`rotated by ${angle}`);
  },
};

export type Vis = typeof vis;
