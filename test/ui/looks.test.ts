import { before, test } from "node:test";
import { type Archive, anArchive } from "./archive.ts";
import { withBrowser } from "./browser.ts";
import { lookAt } from "./look-at.ts";
import { logIn } from "./scene.ts";

let archive: Archive;
before(async () => {
  if (withBrowser.skip === false) archive = await anArchive();
});

/** By the name of its picture: where it is, and what has to be on it. */
const pages: Readonly<Record<string, (of: Archive) => readonly [path: string, shows: string]>> = {
  pulse: () => ["/", "pulse-throughput"],
  tasks: () => ["/tasks", "task-row"],
  task: ({ day }) => [`/tasks/${day.tasks.scanning}`, "log-line"],
  "task-waiting": ({ day }) => [`/tasks/${day.tasks.waiting}`, "explain"],
  "task-failed": ({ past }) => [`/tasks/${past.stubborn}`, "attempts"],
  "task-children": ({ day }) => [`/tasks/${day.tasks.album}`, "children"],
  jobs: () => ["/jobs", "job-list"],
  job: () => ["/jobs/studio:modifiers:Rotate", "job"],
  run: () => ["/jobs/studio:modifiers:Rotate/run", "run-form"],
  fleet: () => ["/fleet?by=label:tier", "worker-tile"],
  worker: ({ day }) => [`/fleet/${day.workers.gpu.id}`, "beat-strip"],
  failures: () => ["/failures", "failure-row"],
  providers: () => ["/providers", "provider-list"],
  audit: () => ["/audit", "audit-list"],
  health: () => ["/health", "node-list"],
  admin: () => ["/admin", "token-list"],
};

for (const [name, place] of Object.entries(pages)) {
  test(`${name} is accessible, fits and complains of nothing, in every look`, withBrowser, async (t) => {
    const [path, shows] = place(archive);
    const { url, tokens } = archive.scene;
    await lookAt(t, { url, path, shows, name, enter: (page) => logIn(page, tokens.admin) });
  });
}

test(
  "login is accessible, fits and complains of nothing but the missing session, in every look",
  withBrowser,
  async (t) => {
    await lookAt(t, {
      url: archive.scene.url,
      path: "/",
      shows: "login",
      name: "login",
      expected: /401 GET .*session/,
    });
  },
);
