import type { InputHTMLAttributes, ReactNode, SelectHTMLAttributes } from "react";
import { useId } from "react";
import style from "./field.module.css";

export interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
}

export function TextField({ label, hint, error, ...rest }: FieldProps & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <div className={style.field}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className={style.input}
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-hint`}
        {...rest}
      />
      <Below id={`${id}-hint`} hint={hint} error={error} />
    </div>
  );
}

export function SelectField(props: FieldProps & SelectHTMLAttributes<HTMLSelectElement>) {
  const { label, hint, error, children, ...rest } = props;
  const id = useId();
  return (
    <div className={style.field}>
      <label htmlFor={id}>{label}</label>
      <select id={id} className={style.input} aria-describedby={`${id}-hint`} {...rest}>
        {children}
      </select>
      <Below id={`${id}-hint`} hint={hint} error={error} />
    </div>
  );
}

function Below({ id, hint, error }: { readonly id: string } & Omit<FieldProps, "label">) {
  return (
    <div id={id} className={error === undefined ? style.hint : style.error}>
      {error ?? hint}
    </div>
  );
}

/** One of a few, all in sight. */
export function Choice<T extends string>(props: {
  readonly label: string;
  readonly value: T;
  readonly options: readonly T[];
  readonly onChange: (value: T) => void;
}) {
  return (
    <fieldset className={style.choice} aria-label={props.label}>
      {props.options.map((option) => (
        <button key={option} type="button" aria-pressed={option === props.value} onClick={() => props.onChange(option)}>
          {option}
        </button>
      ))}
    </fieldset>
  );
}
