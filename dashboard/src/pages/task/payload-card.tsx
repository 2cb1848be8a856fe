import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Json } from "../../parts/json.tsx";
import { plural } from "../../parts/text.ts";
import { useSearchText } from "../../shell/search.ts";
import { type Mark, useSchemaCheck } from "./schema-check.ts";
import style from "./task.module.css";

export interface PayloadCardProps {
  readonly title: "Input" | "Output";
  readonly task: string;
  readonly value: unknown;
  /** Null: the job has none. */
  readonly schema: Readonly<Record<string, unknown>> | null | undefined;
  /** Of the job: another one, another answer. */
  readonly checksum: string | undefined;
}

export function PayloadCard({ title, task, value, schema, checksum }: PayloadCardProps) {
  const [open, setOpen] = useSearchText("schema");
  const marks = useSchemaCheck(`${title} ${task} ${checksum ?? ""}`, schema ?? {}, value);
  const shows = open.split(",").includes(title.toLowerCase()) && schema != null;
  function toggle(): void {
    const others = open.split(",").filter((name) => name !== "" && name !== title.toLowerCase());
    setOpen([...others, ...(shows ? [] : [title.toLowerCase()])].join(","));
  }
  return (
    <Card
      title={title}
      aside={
        schema != null && (
          <>
            {marks && <Verdict marks={marks} />}
            <Button small kind="quiet" aria-expanded={shows} onClick={toggle}>
              {shows ? "Hide the schema" : "Schema"}
            </Button>
          </>
        )
      }
    >
      {schema != null && marks && marks.length > 0 && <Marks marks={marks} />}
      <div className={style.beside} data-shows={shows}>
        <Json label={title} value={value} />
        {shows && (
          <div>
            <Json label={`Schema of the ${title.toLowerCase()}`} value={schema} />
          </div>
        )}
      </div>
    </Card>
  );
}

function Verdict({ marks }: { readonly marks: readonly Mark[] }) {
  if (marks.length === 0) return <Badge tone="completed">fits the schema</Badge>;
  return <Badge tone="warning">{`does not fit: ${plural(marks.length, "place")}`}</Badge>;
}

function Marks({ marks }: { readonly marks: readonly Mark[] }) {
  return (
    <ul className={style.marks} aria-label="What does not fit the schema as it is now">
      {marks.map(({ pointer, detail }) => (
        <li key={pointer + detail}>
          <code>{pointer}</code> {detail}
        </li>
      ))}
    </ul>
  );
}
