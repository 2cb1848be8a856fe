// Loaded into every test process: a file that does not come to its end is ended, and says what kept it.
// Node's own --test-timeout fails the test that hangs, but waits without limit for its process.

const limitMs = Number(process.env["LEADHAND_TEST_FILE_LIMIT_MS"]);

if (process.env["NODE_TEST_CONTEXT"] !== undefined && limitMs > 0) {
  const timer = setTimeout(() => {
    const kept = process.getActiveResourcesInfo().join(", ");
    console.error(`${process.argv[1]} did not end within ${limitMs / 1000} s; still open: ${kept}`);
    process.exit(1);
  }, limitMs);
  timer.unref();
}
