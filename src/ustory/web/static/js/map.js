// The two maps: the same articles twice, marked by story; what is pointed at in one
// is shown in the other.
import { offer, onEvents } from "./live.js";
import { broken, colour, config, drawn, faded, layout } from "./plots.js";

const { Plotly } = window;
const SHAPES = ["circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon"];
const PANELS = ["thematic", "plain"];
const frame = document.getElementById("maps");
const buttons = [...document.querySelectorAll(".find-story")];
let found = null;
let chosen = null;

function groups() {
  const coloured = new Map(found.stories.slice(0, SHAPES.length).map((story, at) => [story.id, at]));
  const made = [{ spots: [], at: -1 }, ...[...coloured].map(([, at]) => ({ spots: [], at }))];
  for (const spot of found.articles) {
    made[(coloured.get(spot.story) ?? -1) + 1].spots.push(spot);
  }
  return made;
}

function label(spot, names) {
  const named = spot.story === null ? "in no story" : names.get(spot.story) || "";
  const story = named === spot.title ? "" : named;
  return broken(spot.title || "(without a title)") + (story ? `<br><i>${broken(story)}</i>` : "");
}

function trace(group, panel, names) {
  const grey = group.at < 0;
  const own = grey ? colour("--rule-strong") : colour(`--series-${group.at + 1}`);
  const lit = (spot) => chosen === null || spot.story === chosen;
  return {
    type: "scatter", mode: "markers",
    x: group.spots.map((spot) => spot[panel][0]),
    y: group.spots.map((spot) => spot[panel][1]),
    text: group.spots.map((spot) => label(spot, names)),
    customdata: group.spots.map((spot) => spot.id),
    hovertemplate: "%{text}<extra></extra>",
    marker: {
      opacity: 0.95,
      symbol: grey ? "circle" : SHAPES[group.at],
      size: group.spots.map((spot) => (chosen !== null && spot.story === chosen ? 13 : grey ? 6 : 10)),
      color: group.spots.map((spot) => (lit(spot) ? (chosen !== null && grey ? colour("--accent") : own) : faded(own, 0.15))),
      line: { width: grey ? 0 : 1, color: colour("--surface") },
    },
  };
}

// The whole of a map in a square of its own, with a little air.
function ranges(panel) {
  const axis = (at) => found.articles.map((spot) => spot[panel][at]);
  return [0, 1].map((at) => {
    const [low, high] = [Math.min(...axis(at)), Math.max(...axis(at))];
    const air = Math.max((high - low) * 0.06, 1);
    return [low - air, high + air];
  });
}

function draw() {
  if (!found || !found.articles.length) return;
  const names = new Map(found.stories.map((story) => [story.id, story.headline]));
  const made = groups();
  for (const panel of PANELS) {
    const place = document.getElementById(panel);
    place.querySelector(".map-wait")?.remove();
    const [x, y] = ranges(panel);
    const axis = (range) => ({ range, showgrid: false, zeroline: false, showticklabels: false, ticks: "" });
    const look = layout({
      margin: { l: 0, r: 0, t: 4, b: 4 }, hovermode: "closest", xaxis: axis(x), yaxis: axis(y),
      dragmode: window.matchMedia("(pointer: coarse)").matches ? false : "pan",
    });
    const traces = made.map((group) => trace(group, panel, names));
    Plotly.react(place, traces, look, { ...config, scrollZoom: false });
    if (!place.dataset.bound) bind(place, panel);
  }
}

function bind(place, panel) {
  place.dataset.bound = "1";
  const other = document.getElementById(PANELS.find((name) => name !== panel));
  place.on("plotly_click", (event) => {
    location.assign(`/articles/${encodeURIComponent(event.points[0].customdata)}`);
  });
  place.on("plotly_hover", (event) => {
    const { curveNumber, pointNumber } = event.points[0];
    if (event.event && other.dataset.bound) Plotly.Fx.hover(other, [{ curveNumber, pointNumber }]);
  });
  place.on("plotly_unhover", (event) => {
    if (event.event && other.dataset.bound) Plotly.Fx.hover(other, []);
  });
}

function find(button) {
  chosen = chosen === button.dataset.story ? null : button.dataset.story;
  for (const each of buttons) {
    each.setAttribute("aria-pressed", String(each.dataset.story === chosen));
  }
  draw();
  if (chosen !== null) frame.scrollIntoView({ block: "nearest" });
}

function say(words) {
  for (const wait of document.querySelectorAll(".map-wait")) wait.textContent = words;
}

// Fetches the map; where none is drawn yet, asks again in a while.
async function load() {
  try {
    const answer = await fetch("/api/map");
    if (!answer.ok) throw new Error(String(answer.status));
    found = await answer.json();
  } catch {
    say("The map could not be fetched. Reload the page to try again.");
    return;
  }
  if (found.articles.length && document.querySelectorAll("[data-story].find-story").length) {
    drawn(draw);
  } else if (found.articles.length) {
    location.reload(); // it was drawn meanwhile, with its stories
  } else {
    setTimeout(load, 2000);
  }
}

// A newer map takes a moment after its slide.
let looking = 0;
async function look() {
  const answer = await fetch("/api/map").catch(() => null);
  if (!answer?.ok) return;
  const newer = await answer.json();
  if (newer.slide > Number(frame.dataset.slide) && !newer.behind) {
    offer("There is a newer map", () => location.reload());
  } else {
    looking = setTimeout(look, 5000);
  }
}

if (Plotly && frame) {
  for (const button of buttons) {
    button.hidden = false;
    button.addEventListener("click", () => find(button));
  }
  load();
  onEvents(() => {
    clearTimeout(looking);
    looking = setTimeout(look, 2000);
  });
}
