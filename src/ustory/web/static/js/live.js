// One stream of events for the page: `onEvents` for those who want them, the bar
// behind which changes wait, and a calm word when the connection is lost.
import { reached } from "./times.js";

const PAUSE = 700; // gather what comes together
const GRACE = 3000; // a reconnect that takes less is nobody's business
const HIDDEN = 60000; // a tab that nobody looks at gives its connection back
const SLOWEST = 30000;

const handlers = [];
let gathered = [];
let source = null;
let last = null;
let wait = 1000;
let gathering = 0;
let complaint = 0;
let leaving = 0;

// `handle` is called with a list of events {id, kind, story, at, articles, details}.
export function onEvents(handle) {
  handlers.push(handle);
}

// The newest event that the page has seen.
export function lastEvent() {
  return last;
}

// Show the bar with some words; `action` runs when the reader asks for the changes.
export function offer(words, action) {
  const bar = document.querySelector("#changes .change-in");
  if (!bar) return;
  bar.querySelector(".change-words").textContent = words;
  bar.hidden = false;
  bar.querySelector("button").onclick = () => {
    bar.hidden = true;
    action();
  };
}

export function withdraw() {
  const bar = document.querySelector("#changes .change-in");
  if (bar) bar.hidden = true;
}

// Tells those who listen, and shows nothing.
export function say(words) {
  const place = document.getElementById("said-calmly");
  if (place) place.textContent = words;
}

function take(message) {
  last = Number(message.lastEventId) || last;
  let event;
  try {
    event = JSON.parse(message.data);
  } catch {
    return;
  }
  gathered.push(event);
  clearTimeout(gathering);
  gathering = setTimeout(() => {
    const events = gathered;
    gathered = [];
    reached(events[events.length - 1].at);
    for (const handle of handlers) handle(events);
  }, PAUSE);
}

function complain() {
  document.getElementById("offline").hidden = false;
}

function connect() {
  const asked = new URLSearchParams({ after: String(last) });
  if (document.body.dataset.story) asked.set("story", document.body.dataset.story);
  source = new EventSource(`/api/events?${asked}`);
  source.onopen = () => {
    wait = 1000;
    clearTimeout(complaint);
    complaint = 0;
    document.getElementById("offline").hidden = true;
    document.documentElement.dataset.live = "on";
  };
  source.onerror = () => {
    document.documentElement.dataset.live = "off";
    if (!complaint) complaint = setTimeout(complain, GRACE);
    // the browser tries again by itself, unless the server refused it
    if (source.readyState === EventSource.CLOSED) {
      setTimeout(connect, wait);
      wait = Math.min(wait * 2, SLOWEST);
    }
  };
  source.onmessage = take;
  for (const kind of document.body.dataset.kinds.split(" ")) {
    source.addEventListener(kind, take);
  }
}

function close() {
  source?.close();
  source = null;
  clearTimeout(complaint);
  complaint = 0;
}

export function startLive() {
  if (document.body.dataset.event === undefined) return;
  last = Number(document.body.dataset.event);
  connect();
  document.addEventListener("visibilitychange", () => {
    clearTimeout(leaving);
    if (document.hidden) {
      leaving = setTimeout(close, HIDDEN);
    } else if (!source) {
      connect();
    }
  });
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", (event) => {
    if (event.persisted && !source) connect();
  });
}
