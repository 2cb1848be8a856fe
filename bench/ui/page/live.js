// Counts what the page is told of tasks, and the time between its frames.

(() => {
  let events = 0;
  const Native = WebSocket;
  globalThis.WebSocket = class extends Native {
    /** @param {ConstructorParameters<typeof WebSocket>} words */
    constructor(...words) {
      super(...words);
      this.addEventListener("message", ({ data }) => {
        if (typeof data === "string" && data.startsWith('42["task_status_event"')) events += 1;
      });
    }
  };

  /** @type {number[]} */
  let gaps = [];
  let frame = 0;

  globalThis.leadhandLive = {
    events: () => events,
    /** Notes the time between frames until `frames` asks for it. */
    watchFrames() {
      gaps = [];
      /** @type {number | null} */
      let last = null;
      const next = (/** @type {number} */ at) => {
        if (last !== null) gaps.push(at - last);
        last = at;
        frame = requestAnimationFrame(next);
      };
      frame = requestAnimationFrame(next);
    },
    frames() {
      cancelAnimationFrame(frame);
      return gaps;
    },
  };
})();
