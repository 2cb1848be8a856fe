// A program of ours that was just started takes connections.

import type { ChildProcess } from "node:child_process";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

const startMsMax = 10_000;
const lookMs = 20;

export async function untilListening(name: string, port: number, child: ChildProcess): Promise<void> {
  const until = performance.now() + startMsMax;
  while (!(await listens(port))) {
    if (child.exitCode !== null || performance.now() > until) throw new Error(`${name} did not start`);
    await pause(lookMs);
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.end());
  });
}
