import { serverUrl } from "../../api/place.ts";
import { Card } from "../../parts/card.tsx";
import { Command } from "../../parts/empty.tsx";
import { FirstSteps, useLessonRoom } from "../../parts/lesson.tsx";

function program(room: string): string {
  return `import { Worker } from "leadhand";

const worker = new Worker({
  url: "${serverUrl}",
  labels: { zone: "a" },
});
worker.job("${room}:modifiers:Rotate", {}, (task) => {
  return { ok: true };
});
await worker.run();`;
}

/** How there would be some. */
export function NoWorkers() {
  return (
    <Card title="No worker is there yet">
      <FirstSteps about="A worker is a program that does jobs. Write one, let it run, and it appears here.">
        <h3>Or let a program of yours be the worker</h3>
        <Command text={program(useLessonRoom())} />
      </FirstSteps>
    </Card>
  );
}
