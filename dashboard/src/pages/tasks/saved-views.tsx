import { type FormEvent, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogActions } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import style from "./tasks-page.module.css";
import { forgetView, readyViews, type SavedView, saveView, useSavedViews } from "./views.ts";

export interface SavedViewsProps {
  readonly query: string;
  readonly onQuery: (query: string) => void;
}

export function SavedViews({ query, onQuery }: SavedViewsProps) {
  const own = useSavedViews();
  const [saving, setSaving] = useState(false);
  const isKnown = [...readyViews, ...own].some((view) => view.query === query);
  return (
    <nav className={style.views} aria-label="Saved views" data-testid="views">
      {readyViews.map((view) => (
        <ViewButton key={view.name} view={view} query={query} onQuery={onQuery} />
      ))}
      {own.map((view) => (
        <span key={view.name} className={style.own}>
          <ViewButton view={view} query={query} onQuery={onQuery} />
          <button type="button" aria-label={`Forget the view ${view.name}`} onClick={() => forgetView(view.name)}>
            ×
          </button>
        </span>
      ))}
      {!isKnown && (
        <Button small kind="quiet" data-testid="save-view" onClick={() => setSaving(true)}>
          + Save this view
        </Button>
      )}
      {saving && <SaveDialog query={query} onClose={() => setSaving(false)} />}
    </nav>
  );
}

function ViewButton({ view, query, onQuery }: { readonly view: SavedView } & SavedViewsProps) {
  return (
    <button
      type="button"
      className={style.view}
      title={view.query === "" ? undefined : view.query}
      aria-pressed={view.query === query}
      onClick={() => onQuery(view.query)}
    >
      {view.name}
    </button>
  );
}

function SaveDialog({ query, onClose }: { readonly query: string; readonly onClose: () => void }) {
  const [name, setName] = useState("");
  const taken = readyViews.some((view) => view.name === name.trim());
  function save(event: FormEvent): void {
    event.preventDefault();
    if (taken || name.trim() === "") return;
    saveView({ name: name.trim(), query });
    onClose();
  }
  return (
    <Dialog open title="Save this view" onClose={onClose}>
      <form onSubmit={save} className={style.form}>
        <TextField
          label="Name"
          value={name}
          autoFocus
          required
          maxLength={60}
          error={taken ? "There is a view of this name already" : undefined}
          hint="It is kept in this browser."
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <code className={style.said}>{query}</code>
        <DialogActions>
          <Button onClick={onClose}>Better not</Button>
          <Button type="submit" kind="main">
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
