// Keeps "5 min ago" true. The words are those of the server's formatting.py.
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86400;
const WEEK = 7;
const root = document.documentElement;
const started = performance.now();
let written = Date.parse(root.dataset.now);
let forms = null;

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

// The parts of a moment in the zone of the page, by their names.
function partsOf(moment) {
  forms ??= new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone: root.dataset.zone,
  });
  const found = forms.formatToParts(moment).map(({ type, value }) => [type, value]);
  const parts = Object.fromEntries(found);
  return { ...parts, month: parts.month.slice(0, 3) }; // some write "Sept"
}

function dayOf(at) {
  const { day, month, year } = partsOf(at);
  return year === partsOf(now()).year ? `${day} ${month}` : `${day} ${month} ${year}`;
}

export function ago(moment) {
  const at = Date.parse(moment);
  const seconds = (now() - at) / 1000;
  const span = Math.abs(seconds);
  if (!Number.isFinite(span)) return null;
  if (span >= WEEK * DAY) return dayOf(at);
  if (seconds >= DAY) {
    const { weekday, hour, minute } = partsOf(at);
    return `${weekday} ${hour}:${minute}`;
  }
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
    let words = null;
    try {
      words = ago(element.dateTime);
    } catch {
      return; // a zone that this browser does not know: the server's words stay
    }
    if (words !== null && words !== element.textContent) element.textContent = words;
  }
}

export function startTimes() {
  setInterval(refresh, 30000);
}
