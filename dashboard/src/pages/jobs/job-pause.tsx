import type { Answer } from "../../api/routes.ts";
import { Button } from "../../parts/button.tsx";
import { useConfirm } from "../../parts/confirm.tsx";
import { useAct } from "../../parts/toast.tsx";

/** Nothing of a paused job is given to anybody; what runs goes on. */
export function JobPause({ job }: { readonly job: Answer<"GET /rooms/{room_id}/jobs/{job_name+}"> }) {
  const confirm = useConfirm();
  const changed = ["GET /rooms/{room_id}/jobs/{job_name+}", "GET /jobs"] as const;
  const pause = useAct<"POST /jobs/{job_name+}/pause">(changed);
  const resume = useAct<"POST /jobs/{job_name+}/resume">(changed);
  const params = { job_name: job.full_name };
  async function change(): Promise<void> {
    if (job.pause !== null) {
      await resume.act({ route: "POST /jobs/{job_name+}/resume", params, body: {} }, "It goes on");
      return;
    }
    const text = "Its tasks wait until you resume it; what runs goes on, and more may be submitted.";
    const sure = await confirm({ title: `Pause ${job.full_name}?`, text, confirm: "Pause", note: true });
    if (sure === null) return;
    const body = sure.note === undefined ? {} : { note: sure.note };
    await pause.act({ route: "POST /jobs/{job_name+}/pause", params, body }, "It is paused");
  }
  return (
    <Button onClick={() => void change()} disabled={pause.busy || resume.busy}>
      {job.pause === null ? "Pause" : "Resume"}
    </Button>
  );
}
