import style from "./job-name.module.css";

/** Broken between its parts, where it has to be. */
export function JobName({ name }: { readonly name: string }) {
  const [room = "", ...rest] = name.split(":");
  return (
    <span className={style.name}>
      {room}
      {rest.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the place in the name is what it is
        <span key={at}>
          :<wbr />
          {part}
        </span>
      ))}
    </span>
  );
}
