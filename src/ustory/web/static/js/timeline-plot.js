// The lines of the timeline as plots: they zoom together, and a day leads to its hours.
import { colour, config, drawn, faded, layout, plain } from "./plots.js";

const places = [...document.querySelectorAll("[data-line]")];
const whole = document.getElementById("whole");
const LENGTH = { day: 86400000, hour: 3600000 };
const address = location.href;
const ended = (values) => [values[0], ...values, values.at(-1)];
let data = null;
let most = 1;
let steps = [];
let range = [];
let changing = false;

function told(story, at) {
  const start = new Date(data.steps[at]);
  const when = start.toLocaleString("en-GB", {
    timeZone: "UTC", day: "numeric", month: "long",
    ...(data.zoom === "hour" ? { hour: "2-digit", minute: "2-digit" } : {}),
  });
  const words = story.keywords[at].length ? `<br>${plain(story.keywords[at].slice(0, 5).join(", "))}` : "";
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

// The address at which the server draws what is shown, in whole steps.
function stretch() {
  const [since, until] = range.map((at) => Date.parse(String(at).replace(" ", "T").replace(/Z?$/, "Z")));
  const end = Math.min(Math.ceil(until / LENGTH[data.zoom]) * LENGTH[data.zoom], Date.parse(data.until));
  const asked = new URLSearchParams(location.search);
  asked.set("days", String(Math.max(Math.ceil((end - since) / LENGTH.day), 1)));
  asked.set("until", new Date(end).toISOString().replace(".000Z", "Z"));
  return `/timeline?${asked}`;
}

// What is shown of one line is shown of all.
function zoomed(change) {
  if (changing) return;
  const all = change["xaxis.autorange"];
  if (!all && !("xaxis.range[0]" in change)) return;
  range = all ? [steps[0], data.until] : [change["xaxis.range[0]"], change["xaxis.range[1]"]];
  changing = true;
  whole.hidden = Boolean(all);
  history.replaceState(null, "", all ? address : stretch());
  const update = { "xaxis.range": [...range], "xaxis.autorange": false };
  const bound = places.filter((place) => place.dataset.bound);
  Promise.all(bound.map((place) => window.Plotly.relayout(place, update))).finally(() => {
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
    const story = data.stories.find((each) => each.story.id === place.dataset.story);
    if (!story) continue; // it was merged meanwhile: its picture stays
    place.querySelector(".line-picture")?.remove();
    const ours = colour(`--series-${(number % 8) + 1}`);
    window.Plotly.react(place, [line(story, ours)], look(), config);
    if (!place.dataset.bound) {
      place.dataset.bound = "1";
      place.on("plotly_relayout", zoomed);
      place.on("plotly_click", opened);
    }
  }
}

export function start(found) {
  data = found;
  most = Math.max(1, ...data.stories.flatMap((story) => story.sizes));
  // a step is drawn as long as it is, and pointed at anywhere along it: its point is in
  // its middle, and the ends of the picture have the heights of the steps beside them
  const middles = data.steps.map((at) => new Date(Date.parse(at) + LENGTH[data.zoom] / 2).toISOString());
  steps = [data.steps[0], ...middles, data.until];
  range = [steps[0], data.until];
  whole.addEventListener("click", () => zoomed({ "xaxis.autorange": true }));
  drawn(draw);
}
