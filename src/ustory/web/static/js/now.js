// Now stays still while somebody reads: numbers of what is there change in place, and
// all else waits behind the bar until it is asked for. Only a list that nobody holds
// is put in order at once: see `isHeld`.
import "./facets.js";
import "./notices.js";
import { offer, onEvents, say, withdraw } from "./live.js";
import { refresh } from "./times.js";

const APART = 3000; // between two looks at the server
const still = window.matchMedia("(prefers-reduced-motion: reduce)");
const changed = new Set();
let fresh = null;
let due = 0;
let looked = 0;

async function look() {
  looked = Date.now();
  let answer;
  try {
    answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  } catch {
    return; // the stream says that we are not connected
  }
  if (!answer.ok) return;
  fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const shown = document.querySelectorAll("#list [data-id]");
  if (!shown.length) {
    show(); // nobody reads an empty page
    return;
  }
  if (!changed.size) return;
  if (isHeld()) {
    for (const row of shown) update(row);
    offer(words(), show);
    return;
  }
  const told = words();
  show();
  say(`${told}. The list is up to date.`);
}

function words() {
  return changed.size === 1 ? "1 story changed" : `${changed.size} stories changed`;
}

// Whether somebody may be reading the list, or wants nothing to move.
function isHeld() {
  const focused = document.activeElement;
  return (
    still.matches ||
    window.scrollY > 1 ||
    (focused !== null && focused !== document.body) ||
    !(document.getSelection()?.isCollapsed ?? true) ||
    document.querySelector("#list:hover") !== null
  );
}

function update(row) {
  const next = fresh.querySelector(`#list [data-id="${CSS.escape(row.dataset.id)}"]`);
  if (!next) return;
  for (const part of row.querySelectorAll("[data-live]")) {
    const other = next.querySelector(`[data-live="${part.dataset.live}"]`);
    if (other && !other.isEqualNode(part) && !part.contains(document.activeElement)) {
      part.replaceWith(document.importNode(other, true));
    }
  }
}

// Puts the new part in place of the one here; rows that did not change stay the same
// nodes, so that nothing is lost of them.
function swap(here, there) {
  if (!here || !there || here.isEqualNode(there)) return;
  const next = document.importNode(there, true);
  for (const row of next.querySelectorAll("[data-id]")) {
    const old = here.querySelector(`[data-id="${CSS.escape(row.dataset.id)}"]`);
    if (old?.isEqualNode(row)) row.replaceWith(old);
    else if (!old) row.classList.add("arrived");
  }
  here.replaceWith(next);
}

// The list and what is said of it: parts outside of it have `data-with-list` and an id.
function show() {
  if (!fresh) return;
  const held = document.activeElement?.closest("[data-id]")?.dataset.id;
  for (const part of document.querySelectorAll("#list, #standing, [data-with-list]")) {
    swap(part, fresh.getElementById(part.id));
  }
  changed.clear();
  withdraw();
  refresh();
  const list = document.getElementById("list");
  const link =
    held && list.querySelector(`[data-id="${CSS.escape(held)}"] [data-open]`);
  if (link) {
    link.focus();
  } else if (list.getBoundingClientRect().top < 0) {
    list.scrollIntoView();
  }
}

onEvents((events) => {
  for (const event of events) if (event.story) changed.add(event.story);
  clearTimeout(due);
  due = setTimeout(look, Math.max(0, APART - (Date.now() - looked)));
});
