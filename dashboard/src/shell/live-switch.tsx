import { feed } from "../live/feed.ts";
import { useFeed } from "../live/use-live.ts";
import { Button } from "../parts/button.tsx";
import { plural } from "../parts/text.ts";
import style from "./shell.module.css";

const words = { connecting: "Connecting", live: "Live", paused: "Paused", lost: "Out of reach" };

/** Says whether the page follows what happens, and stops it from moving under the reader's eyes. */
export function LiveSwitch() {
  const { state, missed } = useFeed();
  const paused = state === "paused";
  return (
    <Button
      className={style.live}
      data-state={state}
      data-testid="live"
      aria-pressed={paused}
      title={paused ? "Go on (l)" : "Pause (l)"}
      onClick={() => feed.pause(!paused)}
    >
      <i aria-hidden="true" />
      {words[state]}
      {paused && missed > 0 && <span className={style.missed}>{plural(missed, "change")}</span>}
    </Button>
  );
}
