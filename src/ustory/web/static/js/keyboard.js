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

// What has the focus, or else where somebody last clicked: Tab goes on from there.
function place() {
  const held = document.activeElement;
  if (held && held !== document.body && held.tabIndex >= 0) {
    return { node: held, id: held.closest("[data-id]")?.dataset.id };
  }
  const node = document.getSelection()?.anchorNode ?? null;
  return { node: node instanceof Element ? node : node?.parentElement, clicked: true };
}

function goBack({ node, id, clicked }) {
  const renewed = id && `[data-id="${CSS.escape(id)}"] [data-open]`;
  const back = node?.isConnected ? node : renewed && document.querySelector(renewed);
  if (!back || back === document.body) return;
  if (!clicked || back.tabIndex >= 0) {
    back.focus({ preventScroll: true });
    return;
  }
  // words cannot have the focus: they are given it for a moment, and Tab starts here
  back.tabIndex = -1;
  back.focus({ preventScroll: true });
  back.blur();
  back.removeAttribute("tabindex");
}

// The help gives the focus back to where it was; a list may have been renewed meanwhile.
function openHelp() {
  const help = document.getElementById("help");
  if (!help || help.open) return;
  const before = place();
  const close = () => {
    const now = document.activeElement;
    const astray = now === document.body || now === document.getElementById("main");
    // most browsers have gone back by now, and the reader may be elsewhere already
    if (astray || help.contains(now)) goBack(before);
  };
  help.addEventListener("close", close, { once: true });
  help.showModal();
}

const ACTIONS = {
  j: () => step(1),
  k: () => step(-1),
  "/": () => {
    const search = document.getElementById("search");
    search?.focus();
    search?.select();
  },
  "?": openHelp,
  n: () => document.querySelector("#changes .change-in:not([hidden]) button")?.click(),
};

export function startKeyboard() {
  const help = document.getElementById("help");
  const button = document.getElementById("keys");
  if (button && help) {
    button.hidden = false;
    button.addEventListener("click", openHelp);
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
