import type { ReactNode } from "react";
import { leadhandCommand } from "../api/place.ts";
import { useSession } from "../api/session.ts";
import { Grid } from "./card.tsx";
import { Command } from "./empty.tsx";
import style from "./lesson.module.css";

export interface Step {
  readonly title: string;
  /** What to write, or what to type. */
  readonly text: string;
}

export interface LessonProps {
  /** What a page would show, and what it takes. */
  readonly about: ReactNode;
  /** The first is a file, the others make something of it. */
  readonly steps: readonly [Step, ...Step[]];
  readonly children?: ReactNode;
}

/** How there would be something to see. Whatever it shows can be copied, and works with the server that is looked at. */
export function Lesson({ about, steps: [file, ...others], children }: LessonProps) {
  return (
    <div className={style.lesson} data-testid="empty">
      <p>{about}</p>
      <Grid min={400}>
        <div>
          <h3>1. {file.title}</h3>
          <Command text={file.text} />
        </div>
        <div>
          {others.map(({ title, text }, at) => (
            <StepBelow key={title} title={`${at + 2}. ${title}`} text={text} />
          ))}
          {children}
        </div>
      </Grid>
    </div>
  );
}

function StepBelow({ title, text }: Step) {
  return (
    <>
      <h3>{title}</h3>
      <Command text={text} />
    </>
  );
}

/** Where whoever reads it may register something. */
export function useLessonRoom(): string {
  return useSession().rooms?.[0] ?? "lab";
}

function jobFile(job: string): string {
  return `import { job } from "leadhand";

const rotate = job("${job}", {}, (task) => {
  task.log.info("rotating", task.input);
  return { ok: true };
});

export const jobs = [rotate];`;
}

/** From nothing to a task that is done. */
export function FirstSteps({ about, children }: Pick<LessonProps, "about" | "children">) {
  const job = `${useLessonRoom()}:modifiers:Rotate`;
  return (
    <Lesson
      about={about}
      steps={[
        { title: "Write a job into jobs.ts", text: jobFile(job) },
        { title: "Let a worker do it", text: leadhandCommand("worker jobs.ts") },
        {
          title: "Submit a task for it, in another terminal",
          text: leadhandCommand(`submit ${job} '{"angle": 90}' --wait`),
        },
      ]}
    >
      <p>
        Elsewhere than in the folder where the server was started, a token has to be in <code>LEADHAND_TOKEN</code>.
      </p>
      {children}
    </Lesson>
  );
}
