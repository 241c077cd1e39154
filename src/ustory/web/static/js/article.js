// An article that is moved, or whose story changes, says so and waits.
import { offer, onEvents } from "./live.js";

const id = document.querySelector(".article")?.dataset.id;

onEvents((events) => {
  const own = events.some((event) => event.articles.includes(id));
  if (own || document.body.dataset.story) {
    offer(own ? "This article has a new place" : "Its story changed", () =>
      location.reload(),
    );
  }
});
