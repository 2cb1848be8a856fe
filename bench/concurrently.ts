/** Runs `step` in so many loops side by side, each until it answers false. */
export async function concurrently(loops: number, step: () => Promise<boolean>): Promise<void> {
  const loop = async (): Promise<void> => {
    for (let more = true; more; ) more = await step();
  };
  await Promise.all(Array.from({ length: loops }, loop));
}
