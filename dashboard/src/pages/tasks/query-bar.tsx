import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { type Suggestion, suggest } from "./completion.ts";
import style from "./query-bar.module.css";
import { placeIn } from "./query-terms.ts";
import { useVocabulary } from "./use-vocabulary.ts";

export interface QueryBarProps {
  readonly query: string;
  readonly onQuery: (query: string) => void;
  /** What the server has against the query. */
  readonly problem: string | null;
  readonly focus: boolean;
}

/** A combobox: what one types is the value, the list only helps. */
export function QueryBar({ query, onQuery, problem, focus }: QueryBarProps) {
  const id = useId();
  const bar = useBar(query, onQuery, focus);
  const { text, open, options, active, input } = bar;
  const showsList = open && options.length > 0;
  return (
    <search className={style.search}>
      <div className={style.box} data-invalid={problem !== null}>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M11 4a7 7 0 1 0 0 14a7 7 0 0 0 0-14M16 16l5 5" />
        </svg>
        <input
          ref={input}
          data-testid="query-bar"
          role="combobox"
          aria-label="Query for tasks"
          aria-expanded={showsList}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={active >= 0 && showsList ? `${id}-${active}` : undefined}
          aria-invalid={problem !== null}
          aria-describedby={`${id}-problem`}
          placeholder="job:… state:failed error~… age>5m, or any word"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={2_000}
          value={text}
          onChange={(event) => bar.type(event.currentTarget.value)}
          onSelect={() => bar.moved()}
          onFocus={() => bar.show(true)}
          onBlur={() => bar.show(false)}
          onKeyDown={(event) => bar.press(event)}
        />
        {text !== "" && (
          <button type="button" className={style.clear} aria-label="Clear the query" onClick={() => bar.ask("")}>
            ×
          </button>
        )}
        <kbd title="Key for the search">/</kbd>
      </div>
      {showsList && <Suggestions id={id} options={options} active={active} onPick={bar.pick} />}
      <div id={`${id}-problem`} aria-live="polite">
        {problem !== null && <QueryProblem problem={problem} query={query} onGo={bar.goTo} />}
      </div>
    </search>
  );
}

function Suggestions(props: {
  readonly id: string;
  readonly options: readonly Suggestion[];
  readonly active: number;
  readonly onPick: (option: Suggestion) => void;
}) {
  const { id, options, active, onPick } = props;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <div ref={list} id={`${id}-list`} role="listbox" aria-label="What may follow" className={style.list}>
      {options.map((option, at) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus, as comboboxes do
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are heard by the input
        <div
          key={option.label}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === active}
          data-testid="query-option"
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPick(option)}
        >
          <code>{option.label}</code>
          <span>{option.hint}</span>
        </div>
      ))}
    </div>
  );
}

/** Points at the character the server stumbled over. */
function QueryProblem(props: {
  readonly problem: string;
  readonly query: string;
  readonly onGo: (at: number) => void;
}) {
  const place = placeIn(props.problem);
  if (place === null) return <p className={style.problem}>{props.problem}</p>;
  return (
    <div className={style.problem} data-testid="query-problem">
      <pre aria-hidden="true">
        {props.query.slice(Math.max(0, place - 40), place)}
        <mark>{props.query.slice(place, place + 1) || " "}</mark>
        {props.query.slice(place + 1, place + 40)}
      </pre>
      <button type="button" onClick={() => props.onGo(place)}>
        {props.problem}
      </button>
    </div>
  );
}

function useBar(query: string, onQuery: (query: string) => void, focus: boolean) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(query);
  const [caret, setCaret] = useState(query.length);
  const [open, setOpen] = useState(false);
  const [visited, setVisited] = useState(false);
  const [typed, setTyped] = useState(false);
  const [active, setActive] = useState(-1);
  const options = suggest(text, caret, useVocabulary(visited));
  // What was asked for here stays as it was typed, with the space after which one goes on.
  useEffect(() => setText((typed) => (typed.trim() === query ? typed : query)), [query]);
  useEffect(() => {
    if (focus) input.current?.focus();
  }, [focus]);

  function write(next: string, at: number): void {
    // At once: a frame later somebody may have typed on, and his caret would be moved back.
    flushSync(() => {
      setText(next);
      setCaret(at);
      setActive(-1);
    });
    input.current?.setSelectionRange(at, at);
  }
  function show(wanted: boolean): void {
    setOpen(wanted);
    setActive(-1);
    if (wanted) setVisited(true);
    else setTyped(false);
  }
  function ask(next: string): void {
    setText(next);
    show(false);
    onQuery(next.trim());
  }
  function pick(option: Suggestion): void {
    write(option.text, option.caret);
    setOpen(true);
    if (option.whole) onQuery(option.text.trim());
  }
  // Whoever only passes by, or has finished a word, is let go by Tab.
  const completes = typed && /\S$/.test(text.slice(0, caret));
  function press(event: KeyboardEvent<HTMLInputElement>): void {
    const picked = open ? (options[active] ?? (event.key === "Tab" && completes ? options[0] : undefined)) : undefined;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && options.length > 0) {
      setOpen(true);
      setActive((active + step + (active < 0 && step < 0 ? 1 : 0) + options.length) % options.length);
    } else if ((event.key === "Enter" || (event.key === "Tab" && !event.shiftKey)) && picked) pick(picked);
    else if (event.key === "Enter") ask(text);
    else if (event.key === "Escape" && open && options.length > 0) setOpen(false);
    else if (event.key === "Escape") input.current?.blur();
    else return;
    event.preventDefault();
  }
  function type(next: string): void {
    setText(next);
    setCaret(input.current?.selectionStart ?? next.length);
    show(true);
    setTyped(true);
  }
  const moved = () => setCaret(input.current?.selectionStart ?? text.length);
  const goTo = (at: number) => {
    input.current?.focus();
    write(text, at);
  };
  return { input, text, open, options, active, show, ask, pick, press, type, moved, goTo };
}
