import { type FormEvent, useState } from "react";
import type { Answer, Body } from "../../api/routes.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogActions } from "../../parts/dialog.tsx";
import { Command } from "../../parts/empty.tsx";
import { SelectField, TextField } from "../../parts/field.tsx";
import { useAct } from "../../parts/toast.tsx";
import style from "./admin.module.css";

type Made = Answer<"POST /tokens">;
type Wanted = Body<"POST /tokens">;

/** Makes a token, and shows its secret: this once, nobody can ask for it again. */
export function NewToken({ onClose }: { readonly onClose: () => void }) {
  const [made, setMade] = useState<Made | null>(null);
  if (made !== null) return <Secret made={made} onClose={onClose} />;
  return (
    <Dialog open title="New token" onClose={onClose}>
      <TokenForm onMade={setMade} onClose={onClose} />
    </Dialog>
  );
}

interface FormProps {
  readonly onMade: (made: Made) => void;
  readonly onClose: () => void;
}

function TokenForm({ onMade, onClose }: FormProps) {
  const [role, setRole] = useState("user");
  const { act, busy } = useAct<"POST /tokens">(["GET /tokens", "GET /audit"]);
  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const body = wantedIn(new FormData(event.currentTarget));
    const made = await act({ route: "POST /tokens", body }, "The token was made");
    if (made !== null) onMade(made);
  }
  return (
    <form className={style.form} onSubmit={(event) => void submit(event)} data-testid="token-form">
      <div className={style.pair}>
        <TextField label="User" name="user" required maxLength={255} placeholder="ada" hint="Whom it speaks for." />
        <TextField label="Name" name="name" maxLength={255} placeholder="nightly" hint="What it is for." />
      </div>
      <SelectField
        label="Role"
        name="role"
        value={role}
        onChange={(event) => setRole(event.currentTarget.value)}
        hint={roleHints[role as Wanted["role"]]}
      >
        <option>viewer</option>
        <option>user</option>
        <option>admin</option>
      </SelectField>
      {role !== "admin" && <LimitFields />}
      <SelectField label="Good for" name="expires" defaultValue="7776000">
        <option value="86400">1 day</option>
        <option value="604800">1 week</option>
        <option value="2592000">30 days</option>
        <option value="7776000">90 days</option>
        <option value="31536000">1 year</option>
        <option value="">without end</option>
      </SelectField>
      <DialogActions>
        <Button onClick={onClose}>Better not</Button>
        <Button type="submit" kind="main" disabled={busy} data-testid="confirm">
          Make it
        </Button>
      </DialogActions>
    </form>
  );
}

const roleHints: Readonly<Record<Wanted["role"], string>> = {
  viewer: "Sees what its rooms and jobs allow, and changes nothing.",
  user: "Submits, cancels and retries; registers workers and jobs in its rooms.",
  admin: "Everything, everywhere, tokens too: a superuser.",
};

function LimitFields() {
  return (
    <>
      <TextField label="Rooms" name="rooms" placeholder="lab, press" hint="With commas between. Empty: every room." />
      <TextField
        label="Jobs"
        name="jobs"
        placeholder="lab:modifiers:*"
        hint="Full names with commas between; * stands for any characters. Empty: every job."
      />
    </>
  );
}

function wantedIn(form: FormData): Wanted {
  const text = (name: string) => String(form.get(name) ?? "").trim();
  const list = (name: string) => {
    const said = text(name)
      .split(",")
      .map((part) => part.trim());
    const parts = said.filter(Boolean);
    return parts.length === 0 ? null : parts;
  };
  const expires = text("expires");
  return {
    user: text("user"),
    name: text("name") === "" ? null : text("name"),
    role: text("role") as Wanted["role"],
    rooms: list("rooms"),
    jobs: list("jobs"),
    expires_seconds: expires === "" ? null : Number(expires),
  };
}

function Secret({ made, onClose }: { readonly made: Made; readonly onClose: () => void }) {
  return (
    <Dialog open title={`The token of ${made.user}`} onClose={onClose}>
      <p>Copy it now and keep it where secrets are kept: it is shown this once, and nobody can ask for it again.</p>
      <div data-testid="token-secret">
        <Command text={made.token} />
      </div>
      <DialogActions>
        <Button kind="main" onClick={onClose} data-testid="token-kept">
          I have it
        </Button>
      </DialogActions>
    </Dialog>
  );
}
