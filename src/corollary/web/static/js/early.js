// Sets the theme that someone chose before anything is drawn. No module: those run too late for that.
(() => {
  try {
    const theme = localStorage.getItem("corollary.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage is switched off: the system's theme it is.
  }
})();
