// A server with a job, and words for it: what every measurement over HTTP begins with.

import { deepJob } from "../bench-catalog.ts";
import { payload } from "../bench-tasks.ts";
import type { MeasureInput, Timing } from "../measure.ts";
import { type Answer, type Connection, openConnection } from "./connection.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

export const room = "@global";
export const submitPath = `/v1/rooms/${room}/tasks/${deepJob}`;
export const submitBody = `{"payload":${payload(0)}}`;

export interface BenchServer extends ServerProcess {
  connect(): Promise<Connection>;
  connections(count: number): Promise<Connection[]>;
  /** A whole request, with the token. */
  request(method: string, path: string, body?: unknown, headers?: string): string;
  /** Registers the job for a new worker; answers the worker's id. */
  addWorker(connection: Connection): Promise<string>;
  /** As `input.timed`, with the processor time of the server. */
  timed(label: string, work: () => Promise<unknown>): Promise<RestTiming>;
}

export interface RestTiming extends Timing {
  readonly doorCpuMs: number;
}

export async function benchServer(input: MeasureInput): Promise<BenchServer> {
  const server = await startServer(input.place, input.profiles);
  const [, category, name] = deepJob.split(":");
  const register = request("PUT", `/v1/rooms/${room}/jobs`, { category, name, schema: {} });

  function request(method: string, path: string, body: unknown = "", headers = ""): string {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return (
      `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${server.token}\r\n` +
      `Content-Type: application/json\r\n${headers}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
    );
  }

  async function timed(label: string, work: () => Promise<unknown>): Promise<RestTiming> {
    const before = server.cpuMs();
    const timing = await input.timed(label, work);
    return { ...timing, doorCpuMs: server.cpuMs() - before };
  }

  const connect = (): Promise<Connection> => openConnection(server.port);
  return {
    ...server,
    connect,
    connections: (count) => Promise.all(Array.from({ length: count }, connect)),
    request,
    async addWorker(connection) {
      const { status, body } = await connection.ask(register);
      if (status !== 200 && status !== 201) throw new Error(`A worker was refused: ${status} ${body}`);
      return (JSON.parse(body) as { worker_id: string }).worker_id;
    },
    timed,
  };
}

export function expect({ status, body }: Answer, wanted: number): string {
  if (status !== wanted) throw new Error(`Answered ${status} instead of ${wanted}: ${body.slice(0, 500)}`);
  return body;
}

/** Rate and processor time as figures; see `rateFigures` in figures.ts. */
export function rateOf(key: string, timing: RestTiming, count: number): Record<string, number> {
  const { ms, cpuMs, serverCpuMs, doorCpuMs } = timing;
  return {
    [key]: (1_000 * count) / ms,
    [`${key}-doorUs`]: (1_000 * doorCpuMs) / count,
    [`${key}-clientUs`]: (1_000 * cpuMs) / count,
    ...(serverCpuMs !== null && { [`${key}-postgresUs`]: (1_000 * serverCpuMs) / count }),
  };
}
