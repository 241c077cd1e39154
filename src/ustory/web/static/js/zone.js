// The zone of all times: that of this machine until the reader chooses another. A cookie
// has it, so that the server can write times and days in it.
const YEAR = 31536000;
const LOCAL = "local:";
const SAME_AS_UTC = /^(Etc\/)?(UTC|UCT|GMT|GMT0|Greenwich|Universal|Zulu)$/;

function kept() {
  const found = document.cookie.match(/(?:^|; )ustory-zone=([^;]*)/);
  return found ? found[1].replaceAll('"', "") : null;
}

function ownZone() {
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  return SAME_AS_UTC.test(name) ? "UTC" : name;
}

function isCalm() {
  return window.scrollY < 2 && document.activeElement === document.body;
}

function follow(own) {
  const before = kept();
  const now = LOCAL + own;
  if (before === now || (before !== null && !before.startsWith(LOCAL))) return;
  document.cookie = `ustory-zone=${now}; path=/; max-age=${YEAR}; samesite=lax`;
  // without cookies the page stays in UTC, and says so
  if (kept() !== now || document.documentElement.dataset.zone === own) return;
  if (isCalm()) location.reload();
}

function offerZones(own) {
  const button = document.getElementById("zone-local");
  if (!button) return;
  button.value = LOCAL + own;
  button.textContent = `Local: ${own}`;
  button.hidden = false;
  button.closest("details").addEventListener("toggle", () => {
    const names = document.getElementById("zone-names");
    if (names.childElementCount) return;
    for (const name of Intl.supportedValuesOf?.("timeZone") || []) {
      names.append(new Option(name, name));
    }
  });
}

// The moment in full, as the server writes it.
function exact(moment) {
  const zone = document.documentElement.dataset.zone;
  const day = { day: "numeric", month: "long", year: "numeric", timeZone: zone };
  const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: zone };
  const [date, clock] = [day, { ...time, timeZoneName: "short" }].map((form) =>
    new Intl.DateTimeFormat("en-GB", form).format(moment),
  );
  return `${date}, ${clock}`;
}

export function startZone() {
  const own = ownZone();
  offerZones(own);
  follow(own);
  window.addEventListener("beforeprint", () => {
    const place = document.getElementById("printed");
    try {
      place.textContent = `${place.dataset.words} ${exact(new Date())}`;
    } catch {
      // a zone that this browser does not know: when it was written is told
    }
  });
}
