import { type FormEvent, useState } from "react";
import { askAnything } from "../../api/client.ts";
import { tellProblem } from "../../api/problem.ts";
import type { Item } from "../../api/routes.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogActions } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Json } from "../../parts/json.tsx";
import { bytes } from "../../parts/text.ts";

interface Props {
  readonly provider: Item<"GET /providers">;
  readonly onClose: () => void;
}

/** Asks a provider, and shows what it answers: text as text, and of anything else what it is. */
export function ReadDialog({ provider, onClose }: Props) {
  const [answer, setAnswer] = useState<string | null>(null);
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  async function read(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const said = String(new FormData(event.currentTarget).get("params"));
    setBusy(true);
    setError(undefined);
    try {
      setAnswer(await answerOf(provider, said));
    } catch (reason) {
      setError(tellProblem(reason));
    } finally {
      setBusy(false);
    }
  }
  return (
    <Dialog open wide title={provider.full_name} onClose={onClose}>
      <form onSubmit={(event) => void read(event)} style={{ display: "grid", gap: 14 }}>
        <TextField
          label="Parameters"
          name="params"
          placeholder="line=7&speed=2"
          error={error}
          hint="As in an address."
        />
        {answer !== null && <Json value={answer} label="The answer" />}
        <h3>Schema of the parameters</h3>
        <Json value={provider.schema} label="The schema" />
        <DialogActions>
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" kind="main" disabled={busy}>
            Read
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

async function answerOf({ room_id, full_name }: Props["provider"], said: string): Promise<string> {
  const params = { room_id, provider_name: full_name };
  const asked = { route: "GET /rooms/{room_id}/providers/{provider_name+}", params } as const;
  const answer = await askAnything(asked, new URLSearchParams(said));
  const type = answer.headers.get("content-type") ?? "";
  if (/json|^text\//.test(type)) return await answer.text();
  return `${type}, ${bytes((await answer.blob()).size)}`;
}
