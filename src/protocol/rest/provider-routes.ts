import Type from "typebox";
import * as examples from "./examples.ts";
import {
  Provider,
  ProviderNamePath,
  ProviderPath,
  ProviderPrefer,
  ProviderRegister,
  RequestHash,
} from "./provider-bodies.ts";
import type { RouteSpec } from "./route.ts";
import { PageQuery, pageOf, RoomPath } from "./words.ts";

const registered = { schema: Provider, example: examples.provider };

const providerList = {
  200: {
    description: "A page of providers, newest first.",
    schema: pageOf(Provider),
    example: examples.page(examples.provider),
  },
};

export const providerRoutes = {
  registerProvider: {
    id: "registerProvider",
    method: "PUT",
    path: "/rooms/{room_id}/providers",
    tag: "providers",
    summary: "Register a provider, and a worker for it",
    description:
      "Without `worker_id` a new worker is registered along with it. A provider that exists is replaced, and what it " +
      "answered before is forgotten. `@global` and `@internal` need a superuser.",
    params: RoomPath,
    body: ProviderRegister,
    example: { category: "files", name: "reader", schema: examples.provider.schema, content_type: "text/plain" },
    answers: {
      200: { description: "The provider was there, and is replaced.", ...registered },
      201: { description: "The provider is new.", ...registered },
    },
    problems: ["invalid-room-id", "invalid-category", "worker-not-found"],
  },
  listRoomProviders: {
    id: "listRoomProviders",
    method: "GET",
    path: "/rooms/{room_id}/providers",
    tag: "providers",
    summary: "List the providers a room sees",
    description: "Its own and those of `@global`.",
    params: RoomPath,
    query: PageQuery,
    answers: providerList,
    problems: ["invalid-room-id"],
  },
  getProvider: {
    id: "getProvider",
    method: "GET",
    path: "/rooms/{room_id}/providers/{provider_name+}/info",
    tag: "providers",
    summary: "Look at a provider",
    params: ProviderNamePath,
    answers: { 200: { description: "The provider.", ...registered } },
    problems: ["invalid-room-id", "provider-not-found"],
  },
  readProvider: {
    id: "readProvider",
    method: "GET",
    path: "/rooms/{room_id}/providers/{provider_name+}",
    tag: "providers",
    summary: "Ask a provider",
    description:
      "The query is the question: any parameters, of which each counts once, the last one. An answer that is cached " +
      "comes at once; else the provider is asked, once for all who ask the same.",
    params: ProviderNamePath,
    headers: ProviderPrefer,
    answers: {
      200: {
        description: "What the provider answered, byte for byte, with its content type.",
        schema: Type.Unknown(),
        type: "*/*",
        headers: { "Preference-Applied": "Sent when a wait was asked for and the answer was waited for." },
        example: "any bytes",
      },
    },
    problems: ["invalid-room-id", "provider-not-found", "provider-timeout"],
  },
  listProviders: {
    id: "listProviders",
    method: "GET",
    path: "/providers",
    tag: "providers",
    summary: "List the providers of all rooms the token may see",
    query: PageQuery,
    answers: providerList,
    problems: [],
  },
  deleteProvider: {
    id: "deleteProvider",
    method: "DELETE",
    path: "/providers/{provider_id}",
    tag: "providers",
    summary: "Take a provider back",
    params: ProviderPath,
    answers: { 204: { description: "It is gone, with all it answered." } },
    problems: ["provider-not-found"],
  },
  uploadResult: {
    id: "uploadResult",
    method: "POST",
    path: "/providers/{provider_id}/results",
    tag: "providers",
    summary: "Answer for a provider",
    description: "The body is the answer as it is: any bytes of any content type, none too.",
    params: ProviderPath,
    headers: RequestHash,
    bytes: true,
    answers: { 204: { description: "It is kept, and whoever waits for it has it." } },
    problems: ["provider-not-found"],
  },
} as const satisfies Record<string, RouteSpec>;
