// Keys that help and never trap: none works while somebody types.
function typing(target) {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName))
  );
}

// Lists mark what j and k go through with data-item; the first link in it is focused.
function step(by) {
  const items = [...document.querySelectorAll("[data-item]")];
  if (!items.length) return;
  const held = document.activeElement;
  const here = items.findIndex((item) => item.contains(held));
  let next = here + by;
  if (here < 0) {
    // begin with what can be seen, not with the top of a long page
    const seen = items.findIndex((item) => item.getBoundingClientRect().bottom > 0);
    next = Math.max(seen, 0);
  }
  const item = items[Math.min(Math.max(next, 0), items.length - 1)];
  const link = item.querySelector("[data-open]") || item.querySelector("a");
  if (link) link.focus();
}

const ACTIONS = {
  j: () => step(1),
  k: () => step(-1),
  "/": () => {
    const search = document.getElementById("search");
    search?.focus();
    search?.select();
  },
  "?": () => document.getElementById("help")?.showModal(),
  n: () => document.querySelector("#changes .change-in:not([hidden]) button")?.click(),
};

export function startKeyboard() {
  const help = document.getElementById("help");
  const button = document.getElementById("keys");
  if (button && help) {
    button.hidden = false;
    button.addEventListener("click", () => help.showModal());
  }
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (typing(event.target)) {
      if (event.key === "Escape" && event.target.id === "search") event.target.blur();
      return;
    }
    if (help?.open || !Object.hasOwn(ACTIONS, event.key)) return;
    event.preventDefault();
    ACTIONS[event.key]();
  });
}
