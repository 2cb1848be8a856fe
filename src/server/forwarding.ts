// How the caller sees this server: by which host, below which path, over TLS or not. Proxies change all three, and say so;
// only those that the settings trust are believed.

import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Config } from "./settings/settings.ts";

export interface SeenAs {
  /** With its port, where it is not the usual one. */
  readonly host: string;
  readonly secure: boolean;
  /** Empty, or a path without a slash at its end. */
  readonly prefix: string;
}

export type Forwarding = (request: Pick<IncomingMessage, "headers" | "socket">) => SeenAs;

/** It becomes part of a page and of a cookie, so it is no more than a plain path. */
const plainPath = /^(\/[\w~-][\w.~-]*)*$/;

export function isPathPrefix(text: string): boolean {
  return plainPath.test(text);
}

export function forwarding({ trustedProxies, pathPrefix }: Pick<Config, "trustedProxies" | "pathPrefix">): Forwarding {
  const trusted = new BlockList();
  for (const each of trustedProxies ?? []) addNetwork(trusted, each);

  return ({ headers, socket }) => {
    const from = socket.remoteAddress ?? "";
    const isTrusted = isIP(from) !== 0 && trusted.check(from, familyOf(from));
    const said = (name: string): string | undefined => (isTrusted ? lastOf(headers[name]) : undefined);
    const proto = said("x-forwarded-proto");
    const path = said("x-forwarded-prefix")?.replace(/\/+$/, "");
    return {
      host: said("x-forwarded-host") ?? headers.host ?? "",
      secure: proto === undefined ? (socket as TLSSocket).encrypted === true : proto.toLowerCase() === "https",
      prefix: path !== undefined && isPathPrefix(path) ? path : (pathPrefix ?? ""),
    };
  };
}

function addNetwork(list: BlockList, network: string): void {
  const [address = "", bits] = network.split("/");
  if (bits === undefined) list.addAddress(address, familyOf(address));
  else list.addSubnet(address, Number(bits), familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/** The nearest proxy is the last to speak, and the one that is trusted. */
function lastOf(header: string | readonly string[] | undefined): string | undefined {
  const text = typeof header === "object" ? header.at(-1) : header;
  return text?.split(",").at(-1)?.trim();
}
