// Light, dark, or as the system has it.
import { h } from "./dom.js";

const SLOT = "corollary.theme";
const THEMES = { system: "As in the system", light: "Light", dark: "Dark" };

const current = () => document.documentElement.dataset.theme ?? "system";

function choose(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(SLOT, theme); // as plain text: early.js reads it before any module runs
  } catch {
    // until the page is closed, then
  }
}

/** The choice of a theme. */
export function themeChoice() {
  return h("fieldset", { class: "choices" }, h("legend", {}, "Theme"),
    Object.entries(THEMES).map(([theme, words]) =>
      h("label", { class: "choice" },
        h("input", { type: "radio", name: "theme", value: theme, checked: theme === current(), onchange: () => choose(theme) }),
        words)));
}
