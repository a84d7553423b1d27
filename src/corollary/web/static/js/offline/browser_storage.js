// Storage in the browser; without it the page works until it is closed.

const memory = { local: new Map(), session: new Map() };
const places = { local: () => globalThis.localStorage, session: () => globalThis.sessionStorage };

function at(kind) {
  try {
    return places[kind]();
  } catch {
    return null;
  }
}

function store(kind) {
  return {
    get(key, otherwise = null) {
      try {
        const text = at(kind)?.getItem(key) ?? memory[kind].get(key) ?? null;
        return text === null ? otherwise : JSON.parse(text);
      } catch {
        return otherwise;
      }
    },
    /** Whether it was written down; if not it is kept until the page is closed. */
    set(key, value) {
      const text = JSON.stringify(value);
      try {
        at(kind).setItem(key, text);
        memory[kind].delete(key);
        return true;
      } catch {
        memory[kind].set(key, text);
        return false;
      }
    },
    remove(key) {
      memory[kind].delete(key);
      try {
        at(kind)?.removeItem(key);
      } catch {
        // nothing was there
      }
    },
    keys(prefix) {
      const found = new Set(memory[kind].keys());
      try {
        const there = at(kind);
        for (let n = 0; n < there.length; n += 1) found.add(there.key(n));
      } catch {
        // keep it in memory only
      }
      return [...found].filter((key) => key.startsWith(prefix)).sort();
    },
  };
}

export const local = store("local");
export const session = store("session");

/** The storage name of one campaign: several may be served from one address. */
export const scoped = (...parts) => ["corollary", new URL(".", document.baseURI).pathname, ...parts].join("|");
