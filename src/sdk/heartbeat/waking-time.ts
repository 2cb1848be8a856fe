// Time for leases. The clock that never goes back stands still while the machine sleeps; the other one goes on, but may be
// set. Leases end by the server's clock meanwhile, so whichever says that more has passed is believed: one that is
// prolonged too early costs a request.

export function wakingTime(steady: () => number, wall: () => number): () => number {
  let [steadyBefore, wallBefore, passed] = [steady(), wall(), 0];
  return () => {
    const [steadyNow, wallNow] = [steady(), wall()];
    passed += Math.max(steadyNow - steadyBefore, wallNow - wallBefore);
    [steadyBefore, wallBefore] = [steadyNow, wallNow];
    return passed;
  };
}
