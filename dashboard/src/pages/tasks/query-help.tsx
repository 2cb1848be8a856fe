import { Link } from "@tanstack/react-router";
import { Card } from "../../parts/card.tsx";
import style from "./tasks-page.module.css";

const examples: readonly (readonly [string, string])[] = [
  ["state:failed ended<1h", "failed within the last hour"],
  ["job:*Rotate* -state:completed", "of all jobs with that in their name, and not completed"],
  ["state:ready age>5m queue:bulk", "made more than five minutes ago, and still waiting in that queue"],
  ['error~"no space" attempt>1', "an error with these words, at the second attempt or later"],
  ["input.user.id=7 room:lab,press", "by a value of the input, in one of two rooms"],
  ["worker:press-1 ran>10s", "that ran for more than ten seconds on that worker"],
];

/** Where there is nothing to show because nobody can tell what is meant. */
export function QueryHelp() {
  return (
    <Card title="How to ask for tasks">
      <p className={style.hint}>
        Terms are joined by “and”. A comma is an “or”, a minus before a term turns it round, quotes keep words together;
        a word alone is looked for in names of jobs and in errors.
      </p>
      <ul className={style.examples}>
        {examples.map(([query, meaning]) => (
          <li key={query}>
            <Link to="/tasks" search={{ q: query }}>
              <code>{query}</code>
            </Link>
            <span>{meaning}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
