// `npx leadhand serve` runs in a shell that npx starts. Asked to end, npx ends the shell, and a shell does not pass it on:
// without this the server would live on unseen, with its locks and its port.

const lookEveryMs = 250;

/** Ends this process in good order once the shell of the npx that started it is gone. Does nothing for any other parent. */
export function endWithNpx() {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script = "" } = process.env;
  if (event !== "npx" || !/^['"]?leadhand['"]?$/.test(script)) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, lookEveryMs);
  // Looking alone must not keep the program from ending.
  timer.unref();
}
