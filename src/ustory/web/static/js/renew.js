// Fetches the page again and puts parts of it in place, by their ids. Nothing moves
// while somebody reads a part that they opened, or is in the middle of it.
import { refresh } from "./times.js";

function busy(part) {
  return part.contains(document.activeElement) || part.querySelector("details[open]") !== null;
}

export async function renew(ids) {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) throw new Error(String(answer.status));
  const newer = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of ids) {
    const [ours, theirs] = [document.getElementById(id), newer.getElementById(id)];
    if (!ours || !theirs || busy(ours)) continue;
    ours.replaceChildren(...theirs.childNodes);
    refresh(ours);
  }
}

export function renewEvery(pause, ids) {
  setInterval(() => {
    if (!document.hidden) renew(ids).catch(() => {}); // the banner says it is offline
  }, pause);
}
