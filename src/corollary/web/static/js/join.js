// An invite link: it signs in at the press of a button, and only from this page. One's own link needs no press: it goes
// on by itself, but only once somebody sees it, not where a browser or a mail program looks ahead at links.
const status = document.getElementById("status");
const button = document.getElementById("join");

async function join() {
  const token = decodeURIComponent(location.pathname.split("/").at(-1));
  try {
    const response = await fetch("../api/login", {
      method: "POST",
      headers: { Accept: "application/json", "Content-Type": "application/json", "X-Corollary": "1" },
      body: JSON.stringify({ token }),
      credentials: "same-origin",
    });
    if (response.ok) return location.replace("../");
    const { error } = await response.json();
    status.textContent = `${error.message} ${error.hint}`;
  } catch {
    status.textContent = "The server cannot be reached. Please try again.";
  }
}

const seen = () => !document.prerendering && document.visibilityState === "visible";

function onceSeen() {
  if (!seen()) return;
  document.removeEventListener("visibilitychange", onceSeen);
  document.removeEventListener("prerenderingchange", onceSeen);
  join();
}

button.addEventListener("click", join);
if ("byItself" in button.dataset) {
  document.addEventListener("visibilitychange", onceSeen);
  document.addEventListener("prerenderingchange", onceSeen);
  onceSeen();
}
