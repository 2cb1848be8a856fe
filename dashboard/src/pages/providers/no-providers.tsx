import { serverUrl } from "../../api/place.ts";
import { Lesson, useLessonRoom } from "../../parts/lesson.tsx";

function file(room: string): string {
  return `import { JobManager, Provider } from "leadhand";

class Clock extends Provider {
  static readonly category = "clocks";
  override read() {
    return { now: new Date().toISOString() };
  }
}

const token = process.env.LEADHAND_TOKEN;
const manager = new JobManager({
  http: fetch,
  baseUrl: "${serverUrl}",
  getHeaders: () => ({ Authorization: \`Bearer \${token}\` }),
  raiseForStatus(answer) {
    if (!answer.ok) throw new Error(\`\${answer.url}: \${answer.status}\`);
  },
}, {});
await manager.registerProvider(Clock, { name: "wall", room: "${room}" });
await manager.wait();`;
}

const command = `npm install leadhand
export LEADHAND_TOKEN=$(npx leadhand token create --user clock)
node provider.ts`;

/** How there would be one that answers. */
export function NoProviders() {
  return (
    <Lesson
      about="A provider is a worker that is asked while somebody waits: a camera, an index, a model. This one tells the time; when it is listed here, Read asks it."
      steps={[
        { title: "Write it into provider.ts", text: file(useLessonRoom()) },
        { title: "Let it answer, where the server's data is", text: command },
      ]}
    />
  );
}
