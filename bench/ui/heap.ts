// How much a page keeps.

import type { Tools } from "./quiet-page.ts";

export interface Heap {
  /** Of scripts, of the document, and of texts and buffers, which Chromium keeps outside the other two. */
  readonly mb: number;
  readonly nodes: number;
  readonly listeners: number;
}

/** After garbage collection. `tools` are the page's, which has to be a quiet one. */
export async function heapOf(tools: Tools): Promise<Heap> {
  // What only a finalizer lets go of takes a second collection.
  await tools.send("HeapProfiler.collectGarbage");
  await tools.send("HeapProfiler.collectGarbage");
  const { usedSize, embedderHeapUsedSize, backingStorageSize } = await tools.send("Runtime.getHeapUsage");
  const { nodes, jsEventListeners } = await tools.send("Memory.getDOMCounters");
  const bytes = usedSize + embedderHeapUsedSize + backingStorageSize;
  return { mb: bytes / 2 ** 20, nodes, listeners: jsEventListeners };
}
