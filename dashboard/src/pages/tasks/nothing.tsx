import { Link } from "@tanstack/react-router";
import { Card } from "../../parts/card.tsx";
import { Empty } from "../../parts/empty.tsx";
import { FirstSteps } from "../../parts/lesson.tsx";
import { QueryHelp } from "./query-help.tsx";
import style from "./tasks-page.module.css";

/** No task at all is another thing than none of this kind. */
export function Nothing({ query }: { readonly query: string }) {
  if (query === "") {
    return (
      <div className={style.rest}>
        <Card title="No tasks yet">
          <FirstSteps about={<About />} />
        </Card>
      </div>
    );
  }
  return (
    <div className={style.rest}>
      <Empty title="No task matches">
        Nothing that is there now is like that. What comes will show by itself. <Link to="/tasks">All tasks</Link>
      </Empty>
      <QueryHelp />
    </div>
  );
}

function About() {
  return (
    <>
      Tasks appear here as they are submitted: from a program, from <Link to="/jobs">the form of a job</Link>, or from a
      terminal. A job comes with its first worker.
    </>
  );
}
