// The lines of the timeline: they zoom together, and a day leads to its hours.
import { offer, onEvents } from "./live.js";
import { colour, config, drawn, faded, layout, plain } from "./plots.js";

const { Plotly } = window;
const data = JSON.parse(document.getElementById("data").textContent);
const places = [...document.querySelectorAll("[data-line]")];
const whole = document.getElementById("whole");
const LENGTH = { day: 86400000, hour: 3600000 };
const most = Math.max(1, ...data.stories.flatMap((story) => story.sizes));
// a step is drawn as long as it is, and pointed at anywhere along it: its point is in
// its middle, and the ends of the picture have the heights of the steps beside them
const middles = data.steps.map((at) => new Date(Date.parse(at) + LENGTH[data.zoom] / 2).toISOString());
const steps = [data.steps[0], ...middles, data.until];
const ended = (values) => [values[0], ...values, values.at(-1)];
let changing = false;
let range = [steps[0], data.until];

function told(story, at) {
  const start = new Date(data.steps[at]);
  const when = start.toLocaleString("en-GB", {
    timeZone: "UTC", day: "numeric", month: "long",
    ...(data.zoom === "hour" ? { hour: "2-digit", minute: "2-digit" } : {}),
  });
  const words = story.keywords[at].length ? `<br>${plain(story.keywords[at].join(", "))}` : "";
  return `${plain(when)}<br><b>${story.sizes[at]}</b> in the window, ${story.articles[at]} new${words}`;
}

function line(story, ours) {
  const shown = story.sizes.map((_, at) => told(story, at));
  return {
    type: "scatter", mode: "lines", fill: "tozeroy",
    x: steps, y: ended(story.sizes),
    text: ended(shown), hovertemplate: "%{text}<extra></extra>",
    line: { shape: "hvh", width: 2, color: ours }, fillcolor: faded(ours, 0.22),
  };
}

function look() {
  const rule = colour("--rule");
  return layout({
    margin: { l: 30, r: 6, t: 6, b: 22 },
    dragmode: window.matchMedia("(pointer: coarse)").matches ? false : "zoom",
    hovermode: "x",
    xaxis: { type: "date", range, gridcolor: rule, zeroline: false, nticks: 7, tickangle: 0,
      tickformatstops: [
        { dtickrange: [null, 43200000], value: "%-d %b %H:%M" },
        { dtickrange: [43200000, null], value: "%-d %b" },
      ] },
    yaxis: { range: [0, most * 1.08], tickvals: [0, most], gridcolor: rule, zeroline: false, fixedrange: true },
  });
}

// What is shown of one line is shown of all.
function zoomed(change) {
  if (changing) return;
  const all = change["xaxis.autorange"];
  if (!all && !("xaxis.range[0]" in change)) return;
  range = all ? [steps[0], data.until] : [change["xaxis.range[0]"], change["xaxis.range[1]"]];
  changing = true;
  whole.hidden = Boolean(all);
  const update = { "xaxis.range": [...range], "xaxis.autorange": false };
  Promise.all(places.map((place) => Plotly.relayout(place, update))).finally(() => {
    changing = false;
  });
}

function opened(event) {
  if (data.zoom !== "day") return;
  const at = Math.max(event.points[0].pointIndex - 1, 0);
  const asked = new URLSearchParams(location.search);
  const end = Date.parse(data.steps[Math.min(at, data.steps.length - 1)]) + LENGTH.day;
  asked.set("zoom", "hour");
  asked.set("days", "1");
  asked.set("until", new Date(end).toISOString().replace(".000Z", "Z"));
  location.assign(`/timeline?${asked}`);
}

function draw() {
  for (const place of places) {
    const number = Number(place.dataset.line);
    place.querySelector("svg:not(.main-svg)")?.remove();
    const ours = colour(`--series-${(number % 8) + 1}`);
    Plotly.react(place, [line(data.stories[number], ours)], look(), config);
    if (!place.dataset.bound) {
      place.dataset.bound = "1";
      place.on("plotly_relayout", zoomed);
      place.on("plotly_click", opened);
    }
  }
}

if (Plotly) {
  document.querySelector(".with-script").hidden = false;
  whole.addEventListener("click", () => zoomed({ "xaxis.autorange": true }));
  drawn(draw);
}
const changed = new Set();
onEvents((events) => {
  for (const event of events) changed.add(event.story);
  const words = changed.size === 1 ? "1 story changed" : `${changed.size} stories changed`;
  offer(words, () => location.reload());
});
