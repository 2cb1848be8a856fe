import { Link } from "@tanstack/react-router";
import { Empty } from "../../parts/empty.tsx";
import { QueryHelp } from "./query-help.tsx";
import style from "./tasks-page.module.css";

/** No task at all is another thing than none of this kind. */
export function Nothing({ query }: { readonly query: string }) {
  if (query === "") {
    return (
      <Empty
        title="No tasks yet"
        command="npx leadhand submit @global:modifiers:Rotate '{&quot;angle&quot;: 90}' --wait"
      >
        Tasks appear here as they are submitted: from a program, from <Link to="/jobs">the form of a job</Link>, or from
        a terminal.
      </Empty>
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
