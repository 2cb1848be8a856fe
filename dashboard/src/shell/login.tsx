import { type FormEvent, useState } from "react";
import { leadhandCommand } from "../api/place.ts";
import { tellProblem } from "../api/problem.ts";
import { logIn, type Session } from "../api/session.ts";
import { Button } from "../parts/button.tsx";
import { Command } from "../parts/empty.tsx";
import { TextField } from "../parts/field.tsx";
import style from "./shell.module.css";

export interface LoginProps {
  readonly onSession: (session: Session) => void;
  /** Why the link did not let anyone in. */
  readonly problem?: string | undefined;
}

export function Login({ onSession, problem }: LoginProps) {
  const [error, setError] = useState(problem);
  const [busy, setBusy] = useState(false);
  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget).get("token")).trim();
    setBusy(true);
    try {
      onSession(await logIn({ token }));
    } catch (reason) {
      setError(tellProblem(reason));
      setBusy(false);
    }
  }
  return (
    <main className={style.login}>
      <form onSubmit={(event) => void submit(event)} data-testid="login">
        <div className={style.brand}>
          <img src="./icon.svg" alt="" width={32} height={32} />
          <h1>Leadhand</h1>
        </div>
        <TextField
          label="Token"
          name="token"
          type="password"
          autoComplete="current-password"
          autoFocus
          required
          error={error}
          hint="It stays with the server: this browser only keeps a cookie that no page can read."
        />
        <Button type="submit" kind="main" disabled={busy}>
          Log in
        </Button>
        <div className={style.way}>
          <p>No token at hand? On the server's machine, this opens a page that is logged in:</p>
          <Command text={leadhandCommand("open")} />
        </div>
      </form>
    </main>
  );
}
