// Keeps the page's own files, so that a reload while the server cannot be reached shows the page and what waits here.
// The line before this one is the server's: SHELL, the files and their version. What the API says is never kept.

const PAGE = new URL(self.registration.scope).pathname;
const KEPT = `corollary|${PAGE}|`; // other pages of the same address have caches of their own
const NAME = KEPT + SHELL.version;
const GONE = [502, 503, 504]; // a proxy says so for a server that is gone

self.addEventListener("install", (event) => {
  event.addRoutes?.({ condition: { urlPattern: { pathname: `${PAGE}api/*` } }, source: "network" }).catch(() => {}); // quicker, no more
  event.waitUntil(keep().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => event.waitUntil(forgetOthers().then(() => self.clients.claim())));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (pathname === PAGE || pathname.startsWith(`${PAGE}static/`)) event.respondWith(fromServerFirst(request));
});

async function keep() {
  const cache = await caches.open(NAME);
  const paths = ["", ...SHELL.files.map((path) => `static/${path}`)];
  await cache.addAll(paths.map((path) => new Request(PAGE + path, { cache: "no-cache" })));
}

async function forgetOthers() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(KEPT) && name !== NAME).map((name) => caches.delete(name)));
}

/** As long as the server answers, all is as it says: nothing here is ever older than the server. */
async function fromServerFirst(request) {
  const kept = async () => (await caches.open(NAME)).match(request, { ignoreSearch: true, ignoreVary: true });
  try {
    const response = await fetch(request);
    return GONE.includes(response.status) ? (await kept()) ?? response : response;
  } catch (error) {
    const found = await kept();
    if (found) return found;
    throw error;
  }
}
