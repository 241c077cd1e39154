// Adding and removing feeds, one by one or as OPML.
import { onRemove, onSubmit, say } from "./changes.js";
import { send } from "./key.js";
import { renew } from "./renew.js";

async function again(words) {
  document.activeElement?.blur();
  await renew(["lists"]);
  onRemove(removed);
  say(words);
}

const removed = (name) => again(`“${name}” is not read any more. Its articles stay.`);

onSubmit(document.getElementById("new-feed"), async (given) => {
  const wanted = { url: String(given.get("url")).trim(), title: String(given.get("title") || "").trim() };
  const made = await send("POST", "/api/feeds", JSON.stringify(wanted));
  if (made === undefined) return;
  document.getElementById("new-feed").reset();
  await again(`${made.title || made.url} is read from now on.`);
});

onSubmit(document.getElementById("opml"), async (given) => {
  const text = await given.get("file").text();
  const made = await send("POST", "/api/feeds.opml", text, "text/x-opml");
  if (made === undefined) return;
  document.getElementById("opml").reset();
  const count = (many, one, more) => `${many} ${many === 1 ? one : more}`;
  const rest = [
    made.known && count(made.known, "was there already", "were there already"),
    made.refused && `${made.refused} may not be read`,
  ];
  await again([count(made.added, "feed is new", "feeds are new"), ...rest.filter(Boolean)].join("; ") + ".");
});

onRemove(removed);
