// Connections to a server, and words for it. Whoever knows its port and a token can speak to it, from any process.

import { globalRoom } from "../../src/core/name.ts";
import { deepJob } from "../bench-catalog.ts";
import { type Connection, openConnection } from "./connection.ts";

export interface ServerAddress {
  readonly port: number;
  readonly token: string;
}

export interface ServerCalls {
  connect(): Promise<Connection>;
  connections(count: number): Promise<Connection[]>;
  /** A whole request, with the token. */
  request(method: string, path: string, body?: unknown, headers?: string): string;
  /** Registers the job for a new worker; answers the worker's id. */
  addWorker(connection: Connection): Promise<string>;
}

export function serverCalls({ port, token }: ServerAddress): ServerCalls {
  const [, category, name] = deepJob.split(":");
  const register = request("PUT", `/v1/rooms/${globalRoom}/jobs`, { category, name, schema: {} });

  function request(method: string, path: string, body: unknown = "", headers = ""): string {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return (
      `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\n${headers}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
    );
  }

  const connect = (): Promise<Connection> => openConnection(port);
  return {
    connect,
    connections: (count) => Promise.all(Array.from({ length: count }, connect)),
    request,
    async addWorker(connection) {
      const { status, body } = await connection.ask(register);
      if (status !== 200 && status !== 201) throw new Error(`A worker was refused: ${status} ${body}`);
      return (JSON.parse(body) as { worker_id: string }).worker_id;
    },
  };
}
