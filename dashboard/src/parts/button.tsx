import type { ButtonHTMLAttributes } from "react";
import style from "./button.module.css";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: "plain" | "main" | "danger" | "quiet";
  readonly small?: boolean;
}

export function Button({ kind = "plain", small = false, className, ...rest }: ButtonProps) {
  const names = [buttonClass(kind), small ? style.small : undefined, className];
  return <button type="button" className={names.filter(Boolean).join(" ")} {...rest} />;
}

/** For links that look like buttons: a button in a link would be two things at once. */
export function buttonClass(kind: NonNullable<ButtonProps["kind"]>): string {
  return `${style.button} ${style[kind]}`;
}
