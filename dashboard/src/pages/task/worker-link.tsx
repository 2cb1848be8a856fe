import { Link } from "@tanstack/react-router";
import { useAsk } from "../../api/queries.ts";
import { shortId } from "../../parts/text.ts";
import style from "./task.module.css";

/** By its name, where it has one and is still known. */
export function WorkerLink({ id }: { readonly id: string }) {
  const { data } = useAsk(
    { route: "GET /workers/{worker_id}", params: { worker_id: id } },
    { staleTime: 60_000, refetchInterval: false, placeholderData: () => undefined },
  );
  return (
    <Link to="/fleet/$id" params={{ id }} title={id} className={style.worker}>
      {data?.name ?? shortId(id)}
    </Link>
  );
}
