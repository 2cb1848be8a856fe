import { docsUrl } from "../api/place.ts";
import { Dialog } from "../parts/dialog.tsx";
import style from "./shell.module.css";
import { shortcuts } from "./shortcuts.ts";

export function Help({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Keys">
      <dl className={style.keys}>
        {shortcuts.map(({ keys, does }) => (
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
