// Keeps "5 min ago" true. The words are those of the server's words.py.
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86400;
const DAYS_TOLD = 14;
const root = document.documentElement;
const started = performance.now();
let written = Date.parse(root.dataset.now);

// The time by which things are "ago": the machine's, or the stream's in a replay.
export function now() {
  const passed = root.dataset.clock === "wall" ? performance.now() - started : 0;
  return written + passed;
}

// In a replay time moves with the events.
export function reached(moment) {
  const at = Date.parse(moment);
  if (root.dataset.clock === "stream" && at > written) {
    written = at;
    refresh();
  }
}

export function ago(moment) {
  const seconds = (now() - Date.parse(moment)) / 1000;
  const span = Math.abs(seconds);
  if (!Number.isFinite(span) || span >= DAYS_TOLD * DAY) return null;
  if (span < MINUTE) return "just now";
  const told =
    span >= DAY
      ? `${Math.floor(span / DAY)} d`
      : span >= HOUR
        ? `${Math.floor(span / HOUR)} h`
        : `${Math.floor(span / MINUTE)} min`;
  return seconds > 0 ? `${told} ago` : `in ${told}`;
}

export function refresh(within = document) {
  for (const element of within.querySelectorAll("time[data-ago]")) {
    const words = ago(element.dateTime);
    if (words !== null && words !== element.textContent) element.textContent = words;
  }
}

export function startTimes() {
  setInterval(refresh, 30000);
}
