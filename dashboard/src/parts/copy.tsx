import { useState } from "react";
import { curlOf } from "../api/client.ts";
import type { Ask, RouteName } from "../api/routes.ts";
import { Button } from "./button.tsx";

export function CopyButton(props: { readonly text: string; readonly label: string; readonly testId?: string }) {
  const [copied, setCopied] = useState(false);
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(props.text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  }
  return (
    <Button small kind="quiet" onClick={() => void copy()} data-testid={props.testId}>
      <span aria-live="polite">{copied ? "Copied" : props.label}</span>
    </Button>
  );
}

/** What the page shows, for a terminal. */
export function CopyCurl<N extends RouteName>({ asked }: { readonly asked: Ask<N> }) {
  return <CopyButton text={curlOf(asked)} label="Copy as curl" testId="copy-curl" />;
}
