// Now stays still while somebody reads: numbers of what is there change in place,
// everything else waits behind the bar until it is asked for.
import { offer, onEvents, withdraw } from "./live.js";
import { refresh } from "./times.js";

const APART = 3000; // between two looks at the server
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
  swap("#standing");
  const shown = document.querySelectorAll("#list [data-id]");
  if (!shown.length) {
    show(); // nobody reads an empty page
    return;
  }
  for (const row of shown) update(row);
  if (!changed.size) return;
  const count = changed.size;
  offer(count === 1 ? "1 story changed" : `${count} stories changed`, show);
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

function swap(selector) {
  const [here, there] = [document, fresh].map((page) => page.querySelector(selector));
  if (here && there && !here.isEqualNode(there)) {
    here.replaceWith(document.importNode(there, true));
  }
}

function show() {
  if (!fresh) return;
  const held = document.activeElement?.closest("[data-id]")?.dataset.id;
  swap("#list");
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
  for (const event of events) changed.add(event.story);
  clearTimeout(due);
  due = setTimeout(look, Math.max(0, APART - (Date.now() - looked)));
});
