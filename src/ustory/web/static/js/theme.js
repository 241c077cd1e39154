// Light, dark, or as the system has it; the choice is kept in a cookie, so that the
// server can write it into the page and nothing flashes.
const NEXT = { auto: "light", light: "dark", dark: "auto" };
const WORDS = {
  auto: "Colours: as the system has them",
  light: "Colours: light",
  dark: "Colours: dark",
};
const YEAR = 31536000;

function current() {
  return document.documentElement.dataset.theme || "auto";
}

function set(theme) {
  const root = document.documentElement;
  if (theme === "auto") {
    delete root.dataset.theme;
  } else {
    root.dataset.theme = theme;
  }
  const age = theme === "auto" ? 0 : YEAR;
  document.cookie = `ustory-theme=${theme}; path=/; max-age=${age}; samesite=lax`;
  document.dispatchEvent(new CustomEvent("ustory:theme", { detail: isDark() }));
}

// Whether dark colours are shown now; plots ask, and listen to "ustory:theme".
export function isDark() {
  const theme = current();
  return theme === "auto"
    ? window.matchMedia("(prefers-color-scheme: dark)").matches
    : theme === "dark";
}

export function startTheme() {
  const button = document.getElementById("theme");
  if (!button) return;
  const say = () => {
    button.setAttribute("aria-label", WORDS[current()]);
    button.title = WORDS[current()];
  };
  button.hidden = false;
  say();
  button.addEventListener("click", () => {
    set(NEXT[current()]);
    say();
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    document.dispatchEvent(new CustomEvent("ustory:theme", { detail: isDark() }));
  });
}
