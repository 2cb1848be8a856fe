import { docsUrl } from "../api/place.ts";
import { Dialog } from "../parts/dialog.tsx";
import type { Place } from "./places.ts";
import style from "./shell.module.css";
import { shortcutsTo } from "./shortcuts.ts";

export interface HelpProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly places: readonly Place[];
}

export function Help({ open, onClose, places }: HelpProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Keys">
      <dl className={style.keys}>
        {shortcutsTo(places).map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (key === "/" && keys.length > 1 ? " / " : <kbd key={key}>{key}</kbd>))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p>
        Whatever is on a page can be asked for by a program: see <a href={docsUrl}>the API</a>.
      </p>
    </Dialog>
  );
}
