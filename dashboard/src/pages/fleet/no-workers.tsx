import { serverUrl } from "../../api/place.ts";
import { Card, Grid } from "../../parts/card.tsx";
import { Command } from "../../parts/empty.tsx";
import style from "./fleet.module.css";

const file = `import { job } from "leadhand";

const rotate = job("@global:modifiers:Rotate", {}, (task) => {
  return { ok: true };
});

export const jobs = [rotate];`;

const command = `npx leadhand worker jobs.ts --label zone=a \\
  --url ${serverUrl}`;

const program = `import { Worker } from "leadhand";

const worker = new Worker({
  url: "${serverUrl}",
  labels: { zone: "a" },
});
worker.job("@global:modifiers:Rotate", {}, (task) => {
  return { ok: true };
});
await worker.run();`;

/** How there would be some. */
export function NoWorkers() {
  return (
    <Card title="No worker is there yet">
      <div className={style.lesson} data-testid="empty">
        <p>
          A worker is a program that does jobs. Write one into <code>jobs.ts</code>, let it run, and it appears here.
        </p>
        <Grid min={400}>
          <div>
            <h3>1. What it does</h3>
            <Command text={file} />
          </div>
          <div>
            <h3>2. Let it run</h3>
            <Command text={command} />
            <h3>Or run it from a program of yours</h3>
            <Command text={program} />
          </div>
        </Grid>
      </div>
    </Card>
  );
}
