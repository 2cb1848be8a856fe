import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import style from "./dialog.module.css";

export interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
  readonly wide?: boolean;
}

export function Dialog({ open, onClose, title, children, wide = false }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => next || onClose()}>
      <Base.Portal>
        <Base.Backdrop className={style.backdrop} />
        <Base.Popup className={wide ? `${style.popup} ${style.wide}` : style.popup}>
          <Base.Title className={style.title}>{title}</Base.Title>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className={style.actions}>{children}</div>;
}
