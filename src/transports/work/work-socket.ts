// A WebSocket whose ends have the codes of our protocol, also where the library finds the fault.

import { WebSocket } from "ws";
import { badField, Problem } from "../../core/problem.ts";
import { closeCodes } from "../../protocol/work/frames.ts";
import { errorText } from "./messages.ts";

/** By the library's own code for it. */
const faults: Readonly<Record<number, { readonly code: number; readonly problem: () => Problem }>> = {
  1007: { code: closeCodes.badMessage, problem: () => badField("", "is not UTF-8") },
  1009: {
    code: closeCodes.tooLarge,
    problem: () => new Problem("payload-too-large", "The message is larger than this server takes"),
  },
};

export class WorkSocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    const fault = code === undefined || this.readyState !== WebSocket.OPEN ? undefined : faults[code];
    if (fault === undefined) {
      super.close(code, reason);
      return;
    }
    const problem = fault.problem();
    this.send(errorText(problem));
    super.close(fault.code, problem.code);
  }
}

/** The code with which a connection ends because of this problem. */
export function closeCodeOf({ code, retry }: Problem): number {
  if (code === "unauthorized" || code === "forbidden") return closeCodes.unauthorized;
  if (code === "payload-too-large") return closeCodes.tooLarge;
  if (code === "stopping") return closeCodes.goingAway;
  if (code === "internal-error") return closeCodes.serverFault;
  return retry ? closeCodes.tryAgainLater : closeCodes.badMessage;
}
