// Talks to the service: JSON both ways, and every way it can go wrong as one kind of error.

/** Codes by which the server says that it will never take what was sent. */
const FINAL = ["refused", "contradiction", "invalid", "not_allowed", "too_large", "withdrawn"];

/** An error. `status` is 0 if the server could not be reached, 502 if something else answered for it. */
export class ApiError extends Error {
  constructor(status, { code = "", message = "", hint = "" } = {}, retryAfter = null) {
    super(message || (status ? `The server had an error (${status}).` : "The server cannot be reached."));
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.retryAfter = retryAfter;
  }

  /** Whether the server itself refused it for good: only then may what someone said be given up. */
  get final() { return FINAL.includes(this.code); }

  /** Whether the same request may well succeed later. */
  get passes() {
    return this.status === 0 || this.status === 408 || this.status === 425 || this.status === 429 || this.status >= 500;
  }
}

/** A key that nobody else has; randomUUID is missing where a page comes over plain http. */
export function newKey() {
  if (crypto.randomUUID) return crypto.randomUUID();
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const TIMEOUT_MS = 20_000;

/** Send a request; paths are relative to the page, so that it works under any prefix. */
export async function call(method, path, body = undefined, { keepalive = false, cache = "no-store", timeout = TIMEOUT_MS } = {}) {
  const headers = { Accept: "application/json", "X-Corollary": "1" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(`api/${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
      cache,
      keepalive,
      signal: AbortSignal.timeout(timeout),
    });
  } catch {
    throw new ApiError(0);
  }
  const reply = await response.json().catch(() => null);
  const ours = response.headers.has("X-Corollary") && reply !== null;
  if (response.ok && ours) return reply;
  const seconds = Number(response.headers.get("Retry-After"));
  // A proxy, a portal or another server at this address says nothing of what was sent: 404 or 200, it did not arrive.
  const status = ours || response.status >= 500 ? response.status : 502;
  throw new ApiError(status, ours ? reply.error : undefined, Number.isFinite(seconds) && seconds > 0 ? seconds : null);
}

export const get = (path) => call("GET", path);
/** Get data that is large and seldom changes: the browser caches it, and checks it each time. */
export const getKept = (path) => call("GET", path, undefined, { cache: "no-cache" });
export const post = (path, body) => call("POST", path, body);
