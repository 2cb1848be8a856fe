// Looks for rows and figures from inside the page, where times are those of the person before it. It is there before the
// page's own code, and once the page has shown something it costs nothing until it is asked again.

(() => {
  const row = "[data-testid=task-row]";
  const figure = "[data-testid=pulse-throughput]";

  /** When the frame that has what was just found is on the screen, as far as a page can tell. @returns {Promise<number>} */
  function painted() {
    return new Promise((resolve) => {
      requestAnimationFrame(() => {
        const after = new MessageChannel();
        after.port1.onmessage = () => resolve(performance.now());
        after.port2.postMessage(null);
      });
    });
  }

  /** A row has words, the figure a number: what stands there while they are fetched has neither. */
  function isMeaningful() {
    const rows = document.querySelector(row)?.textContent ?? "";
    const figures = document.querySelector(figure)?.textContent ?? "";
    return /\w/.test(rows) || /\d/.test(figures);
  }

  const shown = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (!isMeaningful()) return;
      observer.disconnect();
      resolve(painted());
    });
    observer.observe(document, { childList: true, subtree: true, characterData: true });
  });

  let largest = 0;
  new PerformanceObserver((list) => {
    largest = list.getEntries().at(-1)?.startTime ?? largest;
  }).observe({ type: "largest-contentful-paint", buffered: true });

  /** Which tasks are on the page, in whatever order the list keeps its rows. */
  function tasks() {
    return [...document.querySelectorAll(row)].map(taskOf).sort().join(" ");
  }

  /** @param {Element} each */
  function taskOf(each) {
    const link = each.matches("a[href]") ? each : each.querySelector("a[href]");
    return each.getAttribute("data-task-id") ?? link?.getAttribute("href") ?? each.textContent ?? "";
  }

  /** From Enter until other rows than now are on the screen. @param {number} msMax @returns {Promise<number>} */
  function replaced(msMax) {
    const before = tasks();
    let pressedAt = Number.NaN;
    return new Promise((resolve, reject) => {
      const press = (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Enter") pressedAt = event.timeStamp;
      };
      const observer = new MutationObserver(() => {
        const now = tasks();
        if (Number.isNaN(pressedAt) || now === "" || now === before) return;
        leave();
        resolve(painted().then((at) => at - pressedAt));
      });
      const limit = setTimeout(() => {
        leave();
        reject(new Error("the rows stayed as they were"));
      }, msMax);
      const leave = () => {
        observer.disconnect();
        clearTimeout(limit);
        removeEventListener("keydown", press, true);
      };
      addEventListener("keydown", press, true);
      observer.observe(document.body, {
        childList: true,
        subtree: true,
        characterData: true,
        attributeFilter: ["data-task-id", "href"],
      });
    });
  }

  /** @type {Promise<number> | null} */
  let replacement = null;

  globalThis.leadhandRows = {
    shown: () => shown,
    largest: () => largest,
    /** Looks out from now on; whoever presses Enter has to wait until this is done. @param {number} msMax */
    expectOthers(msMax) {
      replacement = replaced(msMax);
      // It is told to whoever asks for it.
      replacement.catch(() => {});
    },
    replaced: () => replacement,
  };
})();
