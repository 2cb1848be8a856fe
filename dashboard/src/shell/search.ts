// The part of the address that says what a page shows.

import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";

type Search = Readonly<Record<string, string>>;

type SearchText = readonly [string, (value: string) => void];

/** What the address says under this name, and a way to say something else; what is as usual is not written. */
export function useSearchText(name: string, usual = ""): SearchText {
  return useText(name, usual, {});
}

/** The same of what narrows a list: another list begins at its first page. */
export function useFilterText(name: string, usual = ""): SearchText {
  return useText(name, usual, { offset: undefined });
}

function useText(name: string, usual: string, also: Readonly<Record<string, undefined>>): SearchText {
  const search = useSearch({ strict: false }) as Search;
  const go = useNavigate();
  // The address follows a moment later. A field that waited for it would be written anew, with its caret at the end.
  const [ahead, setAhead] = useState<string | null>(null);
  function set(value: string): void {
    setAhead(value);
    const next = { ...search, ...also, [name]: value === usual ? undefined : value };
    const there = () => setAhead((latest) => (latest === value ? null : latest));
    void go({ to: ".", search: next, replace: true }).then(there, there);
  }
  return [ahead ?? search[name] ?? usual, set];
}
