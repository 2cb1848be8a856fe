import { Menu as Base } from "@base-ui/react/menu";
import type { ReactNode } from "react";
import buttons from "./button.module.css";
import style from "./menu.module.css";

export interface MenuItem {
  readonly label: string;
  readonly onSelect: () => void;
  readonly danger?: boolean;
  readonly disabled?: boolean;
}

export function Menu(props: {
  readonly label: ReactNode;
  readonly items: readonly MenuItem[];
  readonly testId?: string;
  readonly name?: string;
  /** Without a frame, and small: where there are many of them. */
  readonly quiet?: boolean;
}) {
  const looks = props.quiet ? `${buttons.quiet} ${buttons.small}` : buttons.plain;
  return (
    <Base.Root>
      <Base.Trigger className={`${buttons.button} ${looks}`} data-testid={props.testId} aria-label={props.name}>
        {props.label}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={6} align="end" className={style.positioner}>
          <Base.Popup className={style.popup}>
            {props.items.map((item) => (
              <Base.Item
                key={item.label}
                className={item.danger ? `${style.item} ${style.danger}` : style.item}
                disabled={item.disabled ?? false}
                onClick={item.onSelect}
              >
                {item.label}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
