// An invite link: it signs in at the press of a button, and only from this page.
const status = document.getElementById("status");

document.getElementById("join").addEventListener("click", async () => {
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
});
