/** Calls back once for whatever was handed in during this turn of the event loop, when the turn is over. */
export function turn(): (call: () => void) => void {
  let calls: (() => void)[] = [];
  function run(): void {
    const all = calls;
    calls = [];
    for (const call of all) call();
  }
  return (call) => {
    if (calls.length === 0) setImmediate(run);
    calls.push(call);
  };
}
