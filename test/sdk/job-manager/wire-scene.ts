// A whole server, managers that speak with it, and a wire between them on which things can go wrong.

import { after } from "node:test";
import type { Socket } from "socket.io-client";
import { type ApiManager, JobManager, type JobManagerOptions } from "../../../src/sdk/index.ts";
import { until } from "../../../src/testing/until.ts";
import { type RestScene, restScene } from "../../rest/scene.ts";

/** What becomes of a request: it never arrives, or its answer is lost, or somebody else answers it. */
export type Fault = "never-arrives" | "answer-is-lost" | Response;

export interface Wire {
  /** Every request so far, as in `PATCH /workers/…`, without the prefix of the API. */
  readonly requests: string[];
  /** Looks at a request before it leaves. */
  meddle: (request: string) => Fault | undefined | Promise<Fault | undefined>;
}

export interface ManagerScene extends RestScene {
  /** Its manager disconnects after the tests. */
  manager(options?: JobManagerOptions, socket?: Socket | null): Managed;
  api(wire: Wire): ApiManager;
  /** The task, when it has come to this status. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  taskWith(status: string, id: string): Promise<any>;
}

export interface Managed {
  readonly manager: JobManager;
  readonly wire: Wire;
  /** What it would have printed. */
  readonly said: string[];
}

export async function managerScene(): Promise<ManagerScene> {
  const scene = await restScene();
  const managers: JobManager[] = [];
  after(() => Promise.all(managers.map((manager) => manager.disconnect())));

  function api(wire: Wire): ApiManager {
    return {
      baseUrl: scene.url,
      getHeaders: () => ({ authorization: `Bearer ${scene.admin.token}` }),
      raiseForStatus() {},
      async http(input, init) {
        const request = `${init?.method} ${String(input).slice(`${scene.url}/v1`.length)}`;
        wire.requests.push(request);
        const fault = await wire.meddle(request);
        if (fault instanceof Response) return fault;
        if (fault === "never-arrives") throw new TypeError("fetch failed");
        const answer = await fetch(input, init);
        if (fault !== "answer-is-lost") return answer;
        await answer.text();
        throw new TypeError("fetch failed");
      },
    };
  }

  return {
    ...scene,
    api,
    manager(options = {}, socket = null) {
      const wire: Wire = { requests: [], meddle: () => undefined };
      const said: string[] = [];
      const say = (message: string, error?: unknown) => void said.push(error ? `${message}: ${error}` : message);
      const log = { info: say, warn: say, error: say };
      const quick = { pollingInterval: 0.02, heartbeatInterval: 0.05, joinTimeout: 2 };
      const manager = new JobManager(api(wire), socket, { ...quick, log, ...options });
      managers.push(manager);
      return { manager, wire, said };
    },
    async taskWith(status, id) {
      const read = async () => (await scene.admin.get(`/tasks/${id}`)).body;
      await until(`task ${id} is ${status}`, async () => (await read()).status === status, 10_000);
      return read();
    },
  };
}
