// A story that changes says so, and waits; a keyword that is pointed at is traced.
import { offer, onEvents } from "./live.js";
import { refresh } from "./times.js";

async function show() {
  let answer;
  try {
    answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  } catch {
    return;
  }
  if (answer.redirected) {
    location.assign(answer.url); // it is part of another story now
    return;
  }
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const there = page.getElementById("story");
  const here = document.getElementById("story");
  if (!here || !there) return;
  here.replaceWith(document.importNode(there, true));
  trace();
  refresh();
}

function trace() {
  const table = document.querySelector(".moves");
  if (!table) return;
  const cells = [...table.querySelectorAll("[data-word]")];
  const mark = (word) => {
    table.classList.toggle("tracing", word !== null);
    for (const cell of cells) cell.classList.toggle("traced", cell.dataset.word === word);
  };
  table.addEventListener("pointerover", (event) => {
    const cell = event.target.closest("[data-word]");
    mark(cell ? cell.dataset.word : null);
  });
  table.addEventListener("pointerleave", () => mark(null));
}

const WORDS = {
  merged: "This story became part of another",
  expired: "This story ended",
  split: "This story split",
};

trace();
onEvents((events) => {
  const told = events.map((event) => WORDS[event.kind]).find(Boolean);
  offer(told || "This story changed", show);
});
