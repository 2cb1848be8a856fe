import { useState } from "react";
import { curlOf } from "../api/client.ts";
import type { Ask } from "../api/routes.ts";
import { Button } from "./button.tsx";

export function CopyButton(props: { readonly text: string; readonly label: string; readonly testId?: string }) {
  const [told, setTold] = useState<string | null>(null);
  async function copy(): Promise<void> {
    setTold((await isCopied(props.text)) ? "Copied" : "The browser does not let us");
    setTimeout(() => setTold(null), 1_500);
  }
  return (
    <Button small kind="quiet" onClick={() => void copy()} data-testid={props.testId}>
      <span aria-live="polite">{told ?? props.label}</span>
    </Button>
  );
}

async function isCopied(text: string): Promise<boolean> {
  // Browsers have it for pages that came over TLS or from the same machine.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard === undefined) return isCopiedByCommand(text);
  return clipboard.writeText(text).then(
    () => true,
    () => isCopiedByCommand(text),
  );
}

/** The old way: the browser asks what to copy, and is told. */
function isCopiedByCommand(text: string): boolean {
  let isTold = false;
  const tell = (event: ClipboardEvent) => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
    event.stopImmediatePropagation();
    isTold = true;
  };
  const selection = getSelection();
  // Safari asks only where something is selected, whatever it is.
  const isBare = selection?.isCollapsed ?? true;
  if (isBare) selection?.selectAllChildren(document.body);
  addEventListener("copy", tell, { capture: true });
  try {
    return document.execCommand("copy") && isTold;
  } finally {
    removeEventListener("copy", tell, { capture: true });
    if (isBare) selection?.removeAllRanges();
  }
}

/** What the page shows, for a terminal: a line for each question. */
export function CopyCurl({ asked }: { readonly asked: Ask | readonly Ask[] }) {
  const lines = [asked].flat().map((one) => curlOf(one));
  return <CopyButton text={lines.join("\n")} label="Copy as curl" testId="copy-curl" />;
}
