import { Link, Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { queries } from "../api/queries.ts";
import { logOut, useMay, useSession } from "../api/session.ts";
import { feed } from "../live/feed.ts";
import { useFeed } from "../live/use-live.ts";
import { Button } from "../parts/button.tsx";
import { Menu } from "../parts/menu.tsx";
import { Toasts } from "../parts/toast.tsx";
import { Help } from "./help.tsx";
import { LiveSwitch } from "./live-switch.tsx";
import { type Place, places } from "./places.ts";
import style from "./shell.module.css";
import { useShortcuts } from "./shortcuts.ts";
import { Stale } from "./stale.tsx";
import { nextTheme } from "./theme.ts";

export function Layout() {
  const [help, setHelp] = useState(false);
  const [open, setOpen] = useState(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const mine = usePlaces();
  useKeys(mine, () => setHelp(true));
  useEffect(() => {
    feed.start();
    return () => feed.stop();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever went somewhere wants to see it, not the menu
  useEffect(() => setOpen(false), [path]);
  return (
    <div className={style.shell} data-open={open}>
      {/* No link: the document's base would make of a bare fragment the way to another page. */}
      <button type="button" className={style.skip} onClick={() => document.getElementById("main")?.focus()}>
        Skip to the content
      </button>
      <aside className={style.side}>
        <div className={style.brand}>
          <img src="./icon.svg" alt="" width={24} height={24} />
          <span>Leadhand</span>
        </div>
        <Places mine={mine} />
        <Who />
      </aside>
      <header className={style.top}>
        <Button small className={style.burger} aria-expanded={open} aria-label="Menu" onClick={() => setOpen(!open)}>
          ☰
        </Button>
        <LiveSwitch />
        <Stale />
        <Button small kind="quiet" onClick={nextTheme} title="Light or dark (m)" aria-label="Light or dark">
          ◐
        </Button>
        <Button small kind="quiet" onClick={() => setHelp(true)} title="Keys (?)" aria-label="Keys">
          ?
        </Button>
      </header>
      <div className={style.content}>
        <Outlet />
      </div>
      <Help open={help} places={mine} onClose={() => setHelp(false)} />
      <Toasts />
    </div>
  );
}

/** Those that this token may look at. */
function usePlaces(): readonly Place[] {
  const { administer, seeAll } = useMay();
  return places.filter(({ admin, all }) => (!admin || administer) && (!all || seeAll));
}

function Places({ mine }: { readonly mine: readonly Place[] }) {
  return (
    <nav className={style.places} aria-label="Pages">
      {mine.map(({ path, title, icon, key }) => (
        <Link key={path} to={path} activeOptions={{ exact: path === "/", includeSearch: false }} title={`g ${key}`}>
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d={icon} />
          </svg>
          {title}
        </Link>
      ))}
    </nav>
  );
}

function Who() {
  const { user, role, server } = useSession();
  return (
    <div className={style.who}>
      <Menu
        label={
          <>
            <strong>{user}</strong> <span>{role}</span>
          </>
        }
        items={[{ label: "Log out", onSelect: () => void leave() }]}
        testId="who"
      />
      <small>Leadhand {server.version}</small>
    </div>
  );
}

/** What is still on its way would be answered to a stranger. */
async function leave(): Promise<void> {
  feed.stop();
  await queries.cancelQueries();
  await logOut();
  location.reload();
}

function useKeys(mine: readonly Place[], onHelp: () => void): void {
  const go = useNavigate();
  const { state } = useFeed();
  useShortcuts((keys) => {
    const place = mine.find(({ key }) => keys === `g ${key}`);
    if (place) void go({ to: place.path });
    else if (keys === "?") onHelp();
    else if (keys === "m") nextTheme();
    else if (keys === "l") feed.pause(state !== "paused");
    else if (keys === "c") document.querySelector<HTMLElement>("[data-testid=copy-curl]")?.click();
    else if (keys === "/") {
      const bar = document.querySelector<HTMLElement>("[data-testid=query-bar]");
      if (bar) bar.focus();
      else void go({ to: "/tasks", search: { focus: "true" } });
    } else return false;
    return true;
  });
}
