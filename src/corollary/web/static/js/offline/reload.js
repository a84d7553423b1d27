// A reload while the server cannot be reached: the worker has the page's files, and this says what waits here.
import { local, scoped } from "./browser_storage.js";

/** Let the browser keep the page's files. Not for one person's own machine: there the address may be another's next. */
export function keepFiles({ mode }) {
  if (mode === "team") navigator.serviceWorker?.register("static/worker.js", { scope: "./" }).catch(() => {}); // the page works without
}

/** How many answers wait on this device, whoever gave them. */
export const waitingHere = () => local.keys(scoped("act", "")).length;
