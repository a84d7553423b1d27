// The campaign as it goes on: progress from the server as it happens, and the figures after it, not too often.
import { get } from "../shared/api.js";

const PAUSE_MS = 4000;
const SOON_MS = 1500;

/** Watch the campaign: `counts` gets each new state at once, `figures` all figures a little later. Ends when called. */
export function watch({ counts = () => {}, figures = null, failed = () => {} }) {
  let last = 0;
  let timer = null;
  let over = false;
  let seen = null;

  async function read() {
    timer = null;
    last = Date.now();
    try {
      const progress = await get("progress");
      if (over) return;
      seen = progress.seq;
      figures?.(progress);
      if (progress.figures.forecast.state === "coming") later(SOON_MS);
    } catch (error) {
      if (!over) failed(error);
    }
  }

  function later(ms) {
    if (!over && figures) timer ??= setTimeout(read, ms);
  }

  const source = new EventSource("api/events");
  source.addEventListener("progress", ({ data }) => {
    const progress = JSON.parse(data);
    counts(progress);
    if (progress.seq !== seen) later(Math.max(0, PAUSE_MS - (Date.now() - last)));
  });
  return () => {
    over = true;
    clearTimeout(timer);
    source.close();
  };
}
