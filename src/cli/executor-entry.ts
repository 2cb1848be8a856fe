/** What runs in the threads of a server that has internal jobs: the same file as it is in src/ and as it is built. */
export const executorEntry = new URL(
  import.meta.url.endsWith(".ts") ? "../sdk/internal/thread.ts" : "../sdk/internal/thread.js",
  import.meta.url,
);
