// Who works in the archive, and on what.

export interface PastWorker {
  readonly name: string;
  readonly hostname: string;
  readonly os: string;
  readonly version: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly concurrency: number;
  /** Of the jobs that it serves. */
  readonly rooms: readonly string[];
  /** As its last beat told it. */
  readonly status: { readonly cpuPercent: number; readonly ramBytes: number; readonly loopLagMs: number };
}

export const pastWorkers: readonly PastWorker[] = [
  pastWorker("scan-01", "rack-1.lab.example", { site: "lab", tier: "scan" }, 4, [38, 412, 2]),
  pastWorker("scan-02", "rack-1.lab.example", { site: "lab", tier: "scan" }, 4, [71, 530, 9]),
  pastWorker("scan-03", "rack-2.lab.example", { site: "lab", tier: "scan" }, 4, [12, 388, 1]),
  pastWorker("gpu-01", "gpu-1.lab.example", { site: "lab", tier: "gpu", gpu: "L40S" }, 2, [94, 11_200, 24]),
  pastWorker("gpu-02", "gpu-2.lab.example", { site: "lab", tier: "gpu", gpu: "L40S" }, 2, [88, 10_900, 18]),
  pastWorker("press-01", "edge-1.cph.example", { site: "cph", tier: "press" }, 8, [22, 290, 1]),
  pastWorker("press-02", "edge-2.cph.example", { site: "cph", tier: "press" }, 8, [5, 274, 1]),
  pastWorker("mail-01", "edge-2.cph.example", { site: "cph", tier: "mail" }, 16, [3, 180, 0]),
  pastWorker("mail-02", "edge-3.cph.example", { site: "cph", tier: "mail" }, 16, [2, 176, 0]),
];

function pastWorker(
  name: string,
  hostname: string,
  labels: PastWorker["labels"],
  concurrency: number,
  [cpuPercent, ramMb, loopLagMs]: readonly [number, number, number],
): PastWorker {
  const rooms = labels["tier"] === "mail" ? ["@global"] : labels["site"] === "cph" ? ["newsroom"] : ["archive"];
  const status = { cpuPercent, ramBytes: ramMb * 2 ** 20, loopLagMs };
  return { name, hostname, labels, concurrency, rooms, status, os: "Debian 13", version: "2.4.1" };
}

const retry = { retry: { maxAttempts: 1 } };
const page = {
  type: "object",
  properties: { folio: { type: "string", title: "Folio" }, page: { type: "integer", title: "Page", minimum: 1 } },
  required: ["folio", "page"],
};

export const pastJobs = [
  { room: "archive", category: "analysis", name: "Transcribe", schema: page, policy: retry },
  { room: "archive", category: "modifiers", name: "Resize", policy: retry },
  { room: "archive", category: "modifiers", name: "Watermark", policy: retry },
  { room: "newsroom", category: "analysis", name: "Summarise", policy: retry },
  { room: "newsroom", category: "selections", name: "PickCover", policy: retry },
  { room: "@global", category: "modifiers", name: "SendMail", policy: retry },
] as const;
