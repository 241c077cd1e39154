// The lines of the timeline as the server drew them; Plotly's come when somebody
// explores.
import { onExplore } from "./explore.js";
import { offer, onEvents } from "./live.js";

onExplore(async (data) => {
  const plot = await import("./timeline-plot.js");
  plot.start(data);
});

const changed = new Set();
onEvents((events) => {
  for (const event of events) changed.add(event.story);
  const words = changed.size === 1 ? "1 story changed" : `${changed.size} stories changed`;
  offer(words, () => location.reload());
});
