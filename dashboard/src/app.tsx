import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { whenStranger } from "./api/client.ts";
import { tellProblem } from "./api/problem.ts";
import { queries } from "./api/queries.ts";
import { currentSession, logIn, type Session, SessionContext, takeCode } from "./api/session.ts";
import { feed } from "./live/feed.ts";
import { ConfirmProvider } from "./parts/confirm.tsx";
import { Trouble } from "./parts/empty.tsx";
import { ToastProvider } from "./parts/toast.tsx";
import { router } from "./router.tsx";
import { Login } from "./shell/login.tsx";

type Entry =
  | { readonly kind: "looking" }
  | { readonly kind: "stranger"; readonly problem?: string }
  | { readonly kind: "known"; readonly session: Session }
  | { readonly kind: "trouble"; readonly error: unknown };

/** A link's code first: whoever follows one wants to be who it is for. */
async function enter(code: string | null): Promise<Entry> {
  try {
    if (code !== null) return { kind: "known", session: await logIn({ code }) };
  } catch (error) {
    return { kind: "stranger", problem: `The link no longer works: ${tellProblem(error)}` };
  }
  try {
    const session = await currentSession();
    return session === null ? { kind: "stranger" } : { kind: "known", session };
  } catch (error) {
    return { kind: "trouble", error };
  }
}

const first = enter(takeCode());
// The page's own code is fetched while the server is asked who we are.
void router.preloadRoute({ to: router.latestLocation.pathname });

export function App() {
  const [entry, setEntry] = useState<Entry>({ kind: "looking" });
  useEffect(() => {
    const over = () => {
      queries.clear();
      setEntry({ kind: "stranger", problem: "The session is over: log in again" });
    };
    whenStranger(over);
    void first.then(setEntry);
    // The server cuts the feed of a session that has ended: better to know at once than with the next question.
    let before = feed.view().state;
    return feed.watch(() => {
      const { state } = feed.view();
      if (state === "lost" && before !== "lost")
        void currentSession().then(
          (found) => found ?? over(),
          () => undefined,
        );
      before = state;
    });
  }, []);
  if (entry.kind === "looking") return null;
  if (entry.kind === "trouble") return <Trouble error={entry.error} again={() => location.reload()} />;
  if (entry.kind === "stranger") {
    return <Login problem={entry.problem} onSession={(session) => setEntry({ kind: "known", session })} />;
  }
  return (
    <CSPProvider disableStyleElements>
      <SessionContext value={entry.session}>
        <QueryClientProvider client={queries}>
          <ToastProvider>
            <ConfirmProvider>
              <RouterProvider router={router} />
            </ConfirmProvider>
          </ToastProvider>
        </QueryClientProvider>
      </SessionContext>
    </CSPProvider>
  );
}
