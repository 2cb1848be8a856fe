// The application around the documents' examples: how it talks to its server, and what its extensions work on.

import type { ApiManager } from "leadhand";
import { io } from "socket.io-client";

const { LEADHAND_URL: baseUrl = "http://127.0.0.1:7070", LEADHAND_TOKEN: token, WITHOUT_SOCKET } = process.env;

export const api: ApiManager = {
  http: fetch,
  baseUrl,
  getHeaders: () => ({ Authorization: `Bearer ${token}` }),
  raiseForStatus(response) {
    if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
  },
};

/** Without it everything works too; new tasks are only noticed later. */
export const tsio = WITHOUT_SOCKET === undefined ? io(baseUrl, { auth: { token } }) : undefined;

export const vis = {
  async rotate(angle: number): Promise<void> {
    if (angle > 360) throw new Error(`${angle} is more than once around`);
    console.log(`rotated by ${angle}`);
  },
};

export type Vis = typeof vis;
