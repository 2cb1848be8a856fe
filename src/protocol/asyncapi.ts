// The AsyncAPI document of /work, printed from the descriptions that the door itself checks frames by.

import type { TSchema } from "typebox";
import {
  bearerSubprotocol,
  Heartbeat,
  serverMessages,
  workPaths,
  workProtocol,
  workSubprotocol,
} from "./work/frames.ts";

type Json = Readonly<Record<string, unknown>>;

const summaries = {
  heartbeat: "The only message of a worker: it registers, says how it is, tells results, and asks for work.",
  welcome: "Answers the first heartbeat.",
  specs: "Which of the worker's specs are accepted has changed.",
  assignment: "A job to do, and a whole copy of it.",
  resultAck: "A result is written, or refused.",
  cancel: "The job was cancelled: stop it. Only where the worker said `capabilities.cancel`.",
  drain: "The worker is asked to finish what it has and to go. Not where it said `capabilities.commands`.",
  command: "An operator wants something of the worker. Only where it said `capabilities.commands`.",
  beat: "A sign of life, once a second; its number is to be echoed.",
  error: "Why the connection is about to end.",
  batch: "Several messages at once. Only where the worker said `capabilities.batch`.",
} as const satisfies Record<"heartbeat" | keyof typeof serverMessages, string>;

/** Described as AsyncAPI has it: from the server's side. */
export function asyncApi({ version }: { readonly version: string }): Json {
  const sent = Object.keys(serverMessages);
  const [address] = workPaths;
  const security = [{ $ref: "#/components/securitySchemes/token" }];
  const inChannel = (name: string): Json => ({ $ref: `#/channels/work/messages/${name}` });
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Leadhand",
      version,
      description: `How workers connect and are handed their jobs; protocol version ${workProtocol}.`,
      license: { name: "Apache-2.0" },
    },
    defaultContentType: "application/json",
    channels: {
      work: {
        address,
        description: `A WebSocket, also at \`${workPaths[1]}\`. Text frames, one JSON object each; subprotocol \`${workSubprotocol}\`.`,
        messages: Object.fromEntries(
          ["heartbeat", ...sent].map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
        bindings: { ws: { method: "GET", bindingVersion: "0.1.0" } },
      },
    },
    operations: {
      hear: { action: "receive", channel: { $ref: "#/channels/work" }, messages: [inChannel("heartbeat")], security },
      tell: { action: "send", channel: { $ref: "#/channels/work" }, messages: sent.map(inChannel), security },
    },
    components: {
      messages: Object.fromEntries(
        Object.entries<TSchema>({ heartbeat: Heartbeat, ...serverMessages }).map(([name, payload]) => [
          name,
          { name, summary: summaries[name as keyof typeof summaries], payload },
        ]),
      ),
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: `An API token, or a JWT; or the subprotocol \`${bearerSubprotocol}\` and the token.`,
        },
      },
    },
  };
}
