import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { useAsk } from "../../api/queries.ts";
import type { Ask } from "../../api/routes.ts";
import { useRefresh } from "../../live/use-live.ts";
import { useSearchText } from "../../shell/search.ts";
import { isYoung, type Pulse, type Window } from "./pulse.ts";

interface AskedPulse {
  readonly asked: Ask<"GET /pulse">;
  readonly pulse: UseQueryResult<Pulse, Error>;
  readonly window: Window;
  readonly setWindow: (window: Window) => void;
}

/** Of the window that the address names. Where it names none, the first answer decides, and it stays so while one looks. */
export function usePulse(): AskedPulse {
  const [named, setNamed] = useSearchText("window");
  const [usual, setUsual] = useState<Window | null>(null);
  const window = (named === "" ? (usual ?? "1h") : named) as Window;
  const asked: Ask<"GET /pulse"> = { route: "GET /pulse", query: { window } };
  const pulse = useAsk(asked, { refetchInterval: 5_000 });
  useRefresh(["tasks", "workers", "alerts"], ["GET /pulse"], 2_000);
  if (named === "" && usual === null && pulse.data !== undefined) setUsual(isYoung(pulse.data) ? "15m" : "1h");
  return { asked, pulse, window, setWindow: setNamed };
}
