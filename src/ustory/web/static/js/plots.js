// What plots share: the page's colours and type, and words that are only words.
export function colour(name) {
  const probe = document.createElement("span");
  probe.className = "hidden";
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

export function faded(found, share) {
  const parts = found.match(/[\d.]+/g);
  return parts ? `rgba(${parts.slice(0, 3).join(",")},${share})` : found;
}

// Plotly reads tags in texts: none of ours has any.
export function plain(text) {
  return String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

// Lines of a hover label, broken between words.
export function broken(text, width = 44) {
  const lines = [""];
  for (const word of String(text).split(/\s+/)) {
    const last = lines[lines.length - 1];
    if (last && last.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  if (lines.length > 4) lines.splice(4, lines.length, "…");
  return lines.map((line) => plain(line.slice(0, 2 * width))).join("<br>");
}

export function layout(more) {
  const ink = colour("--ink");
  const soft = colour("--ink-soft");
  return {
    font: { family: getComputedStyle(document.body).fontFamily, size: 12, color: soft },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    showlegend: false,
    hoverlabel: {
      bgcolor: colour("--surface"), bordercolor: colour("--rule-strong"),
      font: { color: ink, size: 13, family: getComputedStyle(document.body).fontFamily }, align: "left",
    },
    ...more,
  };
}

// Plotly's own notices stay away: pages have one look for all of them.
export const config = { displayModeBar: false, responsive: true, doubleClick: "reset", showTips: false };

// Draws, and again whenever the colours change.
export function drawn(draw) {
  draw();
  document.addEventListener("ustory:theme", () => draw());
}
