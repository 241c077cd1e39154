// Making and removing watchlists; new matches wait behind the bar.
import { onRemove, onSubmit, say } from "./changes.js";
import { send } from "./key.js";
import { offer, onEvents } from "./live.js";
import { renew } from "./renew.js";

const form = document.getElementById("new-list");

async function removed(name) {
  if (!form) {
    location.assign("/watch"); // the page of the one that is gone
    return;
  }
  document.activeElement?.blur();
  await renew(["lists"]);
  onRemove(removed);
  say(`“${name}” is not watched any more.`);
}

async function make(given) {
  const text = (name) => String(given.get(name) || "").trim();
  const wanted = {
    name: text("name"),
    keywords: text("keywords").split(",").map((word) => word.trim()).filter(Boolean),
    ...(text("search") ? { search: text("search") } : {}),
    ...(text("example") ? { example: text("example") } : {}),
    ...(text("webhook") ? { webhook: text("webhook") } : {}),
  };
  if (!wanted.keywords.length && !wanted.example && !wanted.search) {
    throw new Error("it needs keywords, a search, or a text as an example");
  }
  const made = await send("POST", "/api/watchlists", JSON.stringify(wanted));
  if (made === undefined) return;
  form.reset();
  await renew(["lists"]);
  onRemove(removed);
  const since = wanted.search ? "is watched" : "is watched from the next slide on";
  const words = `“${made.name}” ${since}.`;
  if (made.secret) {
    say(`${words} Its calls are signed with this secret, which is not told again:`, made.secret);
  } else {
    say(words);
  }
}

if (form) onSubmit(form, make);
onRemove(removed);
onEvents((events) => {
  if (events.some((event) => event.kind === "born" || event.kind === "grew")) {
    offer("There may be new matches", async () => {
      await renew(["lists"]);
      onRemove(removed);
    });
  }
});
