// Probes and metrics: /health says that the process answers, /health/ready that it can work.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "../core/problem.ts";
import { sendProblem } from "../transports/rest/problem-reply.ts";

export interface ProbeOptions {
  /** Why the server cannot work now; null when it can. */
  ready(): Problem | null | Promise<Problem | null>;
  metrics(): Promise<{ readonly contentType: string; readonly body: string }>;
  /** Throws unless the caller may read the metrics; the probes are open to all. */
  mayRead(request: FastifyRequest): void | Promise<void>;
}

const writing = ["POST", "PUT", "PATCH", "DELETE"];

export function probes(app: FastifyInstance, { ready, metrics, mayRead }: ProbeOptions): void {
  const answers: Readonly<Record<string, (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>>> = {
    "/health": alive,
    "/health/": alive,
    async "/health/ready"(_, reply) {
      const problem = await ready();
      return problem === null ? json(reply, { status: "ready" }) : sendProblem(reply, problem);
    },
    async "/metrics"(request, reply) {
      await mayRead(request);
      const { contentType, body } = await metrics();
      return reply.type(contentType).send(body);
    },
  };
  for (const [url, handler] of Object.entries(answers)) {
    app.get(url, (request, reply) => {
      reply.header("cache-control", "no-store");
      return handler(request, reply);
    });
    app.route({
      method: writing,
      url,
      handler(_, reply) {
        reply.header("allow", "GET, HEAD");
        throw new Problem("method-not-allowed", `${url} can only be read`);
      },
    });
  }
}

async function alive(_: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return json(reply, { status: "ok" });
}

function json(reply: FastifyReply, value: unknown): FastifyReply {
  return reply.type("application/json").send(JSON.stringify(value));
}
