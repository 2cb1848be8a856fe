import { Link } from "@tanstack/react-router";
import { Empty, Trouble } from "../parts/empty.tsx";

export function NotHere() {
  return (
    <main id="main">
      <Empty title="There is nothing here">
        The address may be old. <Link to="/">Pulse</Link> shows what is going on.
      </Empty>
    </main>
  );
}

export function PageTrouble({ error, reset }: { readonly error: unknown; readonly reset: () => void }) {
  return (
    <main id="main">
      <Trouble error={error} again={reset} />
    </main>
  );
}
