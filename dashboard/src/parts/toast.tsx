import { Toast } from "@base-ui/react/toast";
import { useMutation } from "@tanstack/react-query";
import { ask } from "../api/client.ts";
import { problemTitle, tellProblem } from "../api/problem.ts";
import { outdate } from "../api/queries.ts";
import type { Answer, Ask, RouteName } from "../api/routes.ts";
import style from "./toast.module.css";

export const ToastProvider = Toast.Provider;

export function Toasts() {
  const { toasts } = Toast.useToastManager();
  return (
    <Toast.Portal>
      <Toast.Viewport className={style.viewport}>
        {toasts.map((toast) => (
          <Toast.Root key={toast.id} toast={toast} className={style.toast} data-kind={toast.type}>
            <Toast.Title className={style.title} />
            <Toast.Description className={style.description} />
            <Toast.Close className={style.close} aria-label="Dismiss">
              ×
            </Toast.Close>
          </Toast.Root>
        ))}
      </Toast.Viewport>
    </Toast.Portal>
  );
}

/** Says something in the corner, which goes away by itself. */
export function useTell(): (title: string, description?: string, kind?: "good" | "bad") => void {
  const { add } = Toast.useToastManager();
  return (title, description, kind = "good") => {
    add({
      title,
      type: kind,
      timeout: kind === "bad" ? 10_000 : 4_000,
      ...(description !== undefined && { description }),
    });
  };
}

const nowhere = (_: unknown) => false;

/**
 * Does something at the server, tells how it went, and makes old what it may have changed. A refusal that the page shows
 * where it belongs is not told once more.
 */
export function useAct<N extends RouteName>(changes: readonly RouteName[], isShown = nowhere) {
  const tell = useTell();
  const { mutateAsync, isPending } = useMutation<Answer<N>, Error, Ask<N>>({ mutationFn: (asked) => ask(asked) });
  async function act(asked: Ask<N>, done: string): Promise<Answer<N> | null> {
    try {
      const answer = await mutateAsync(asked);
      tell(done);
      return answer;
    } catch (error) {
      if (!isShown(error)) tell(problemTitle(error), tellProblem(error), "bad");
      return null;
    } finally {
      outdate(...changes);
    }
  }
  return { act, busy: isPending };
}
