// The two maps as plots: the same articles twice, marked by story; what is pointed at
// in one is shown in the other.
import { broken, colour, config, drawn, faded, layout, plain } from "./plots.js";

const SHAPES = ["circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon"];
const PANELS = ["thematic", "plain"];
let found = null;
let chosen = null;
let names = null;

function groups() {
  const coloured = new Map(found.stories.slice(0, SHAPES.length).map((story, at) => [story.id, at]));
  const made = [{ spots: [], at: -1 }, ...[...coloured].map(([, at]) => ({ spots: [], at }))];
  for (const spot of found.articles) {
    made[(coloured.get(spot.story) ?? -1) + 1].spots.push(spot);
  }
  return made;
}

function label(spot, headlines) {
  const named = spot.story === null ? "in no story" : headlines.get(spot.story) || "";
  const story = named === spot.title ? "" : named;
  return broken(spot.title || "(without a title)") + (story ? `<br><i>${broken(story)}</i>` : "");
}

function trace(group, panel, headlines) {
  const grey = group.at < 0;
  const own = grey ? colour("--rule-strong") : colour(`--series-${group.at + 1}`);
  const lit = (spot) => chosen === null || spot.story === chosen;
  return {
    type: "scatter", mode: "markers",
    x: group.spots.map((spot) => spot[panel][0]),
    y: group.spots.map((spot) => spot[panel][1]),
    text: group.spots.map((spot) => label(spot, headlines)),
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

// The names of stories where the server's picture has them, in the units of the data.
function named(panel) {
  const { air, box } = names;
  return names[panel].map(({ x, y, words }) => {
    const places = [0, 1].map((at) => found.articles.map((spot) => spot[panel][at]));
    const [left, low] = places.map((each) => Math.min(...each));
    const [right, high] = places.map((each) => Math.max(...each));
    return {
      x: left + ((x - air) / (box.width - 2 * air)) * (right - left),
      y: high - ((y - air) / (box.height - 2 * air)) * (high - low),
      text: `<b>${plain(words)}</b>`, font: { color: colour("--ink"), size: 13 },
      yanchor: "bottom", yshift: -5, showarrow: false, captureevents: false,
    };
  });
}

// Reads them before the picture goes; those of an older map are left out.
function read() {
  const picture = document.querySelector(".map-picture");
  names = { air: Number(picture.dataset.air), box: picture.viewBox.baseVal };
  const same = found.slide === Number(document.getElementById("maps").dataset.slide);
  for (const panel of PANELS) {
    const texts = same ? [...document.querySelectorAll(`#${panel} .map-names text`)] : [];
    names[panel] = texts
      .filter((text) => text.checkVisibility())
      .map((text) => ({ x: text.x.baseVal[0].value, y: text.y.baseVal[0].value, words: text.textContent }));
  }
}

// Draws both; `story` is the one that is looked for, null is none.
export function draw(story = chosen) {
  chosen = story;
  const headlines = new Map(found.stories.map((each) => [each.id, each.headline]));
  const made = groups();
  for (const panel of PANELS) {
    const place = document.getElementById(panel);
    place.querySelector(".map-picture")?.remove();
    const [x, y] = ranges(panel);
    const axis = (range) => ({ range, showgrid: false, zeroline: false, showticklabels: false, ticks: "" });
    const look = layout({
      margin: { l: 0, r: 0, t: 4, b: 4 }, hovermode: "closest", xaxis: axis(x), yaxis: axis(y),
      dragmode: window.matchMedia("(pointer: coarse)").matches ? false : "pan",
      annotations: named(panel),
    });
    const traces = made.map((group) => trace(group, panel, headlines));
    window.Plotly.react(place, traces, look, { ...config, scrollZoom: false });
    if (!place.dataset.bound) bind(place, panel);
  }
}

function bind(place, panel) {
  place.dataset.bound = "1";
  place.setAttribute("role", "img");
  place.setAttribute("aria-label", "Articles in the plane. The table below says the same in words.");
  const other = document.getElementById(PANELS.find((name) => name !== panel));
  place.on("plotly_click", (event) => {
    location.assign(`/articles/${encodeURIComponent(event.points[0].customdata)}`);
  });
  place.on("plotly_hover", (event) => {
    const { curveNumber, pointNumber } = event.points[0];
    if (event.event && other.dataset.bound) window.Plotly.Fx.hover(other, [{ curveNumber, pointNumber }]);
  });
  place.on("plotly_unhover", (event) => {
    if (event.event && other.dataset.bound) window.Plotly.Fx.hover(other, []);
  });
}

export function start(data, story) {
  if (!data.articles.length) throw new Error("the map is empty");
  found = data;
  chosen = story;
  read();
  drawn(draw);
}
