// The two maps as the server drew them: a story that is pointed at or looked for is
// shown in both. Plotly's come when somebody explores.
import { onExplore } from "./explore.js";
import { offer, onEvents } from "./live.js";

const frame = document.getElementById("maps");
const buttons = [...document.querySelectorAll(".find-story")];
let chosen = frame?.querySelector(".found")?.dataset.story ?? null;
let plot = null;

// Marks the marks of a story in both pictures; null is none.
function mark(name, story) {
  frame.classList.toggle(name, story !== null);
  for (const each of frame.querySelectorAll(".marks")) {
    each.classList.toggle(name === "finding" ? "found" : "pointed", story !== null && each.dataset.story === story);
  }
}

function find(button) {
  chosen = chosen === button.dataset.story ? null : button.dataset.story;
  for (const each of buttons) {
    const pressed = each.dataset.story === chosen;
    each.setAttribute("aria-pressed", String(pressed));
    each.value = pressed ? "" : each.dataset.story;
  }
  history.replaceState(null, "", chosen === null ? "/map" : `/map?find=${encodeURIComponent(chosen)}`);
  if (plot) plot.draw(chosen);
  else mark("finding", chosen);
  if (chosen !== null) frame.scrollIntoView({ block: "nearest" });
}

// A newer map takes a moment after its slide; its articles are not asked for.
let looking = 0;
async function look() {
  const answer = await fetch("/api/map?articles=false").catch(() => null);
  const newer = answer?.ok ? await answer.json() : null;
  if (newer && !newer.behind && newer.slide > Number(frame?.dataset.slide ?? 0)) {
    if (frame) offer("There is a newer map", () => location.reload());
    else location.reload(); // there was nothing to read yet
  } else if (newer || !frame) {
    looking = setTimeout(look, frame ? 5000 : 2000);
  }
}

if (frame) {
  for (const button of buttons) {
    button.addEventListener("click", (event) => {
      event.preventDefault();
      find(button);
    });
  }
  for (const [kind, story] of [["pointerover", (on) => on.closest("[data-story]")?.dataset.story ?? null], ["pointerleave", () => null]]) {
    frame.addEventListener(kind, (event) => mark("pointing", story(event.target)));
  }
  onExplore(async (data) => {
    plot = await import("./map-plot.js");
    plot.start(data, chosen);
  });
  onEvents(() => {
    clearTimeout(looking);
    looking = setTimeout(look, 2000);
  });
} else {
  look();
}
