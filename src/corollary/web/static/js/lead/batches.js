// Work on many items at once: the server does some of it at a time, under one key, until nothing is left.
import { post } from "../shared/api.js";

const WAITS = [1, 2, 4, 8, 15, 15, 15]; // seconds between tries while the server cannot be reached

/**
 * Send a request until nothing is left, and report all batches together; `tell` is called with how many are done, and
 * of how many. A repeated key is harmless, so a request whose reply was lost is sent again.
 */
export async function inBatches(path, body, tell) {
  const all = { settled: 0, opened: 0, conflicts: [] };
  for (let tries = 0; ;) {
    try {
      const one = await post(path, body);
      tries = 0;
      all.settled += one.settled;
      all.opened += one.opened;
      all.conflicts.push(...one.conflicts);
      if (!one.left) return { ...one, ...all };
      tell(one.done, one.done + one.left);
    } catch (error) {
      if (!error.passes || tries === WAITS.length) throw error;
      await new Promise((done) => { setTimeout(done, 1000 * WAITS[tries]); });
      tries += 1;
    }
  }
}
