// Draws the figures, in the theme that is on, at the width that there is.
(() => {
  "use strict";
  const PANEL = 250; // px that one of several panels needs to stand beside another
  const GAP = 88; // px between panels above each other: axis title and heading
  const LINE = 20; // px of one line of a legend
  const SIGN = 45; // px of a line and its symbol before a name
  const PHONE = 560; // px below which nothing is wasted on columns
  const PAPER = 650; // px of a figure on an A4 or letter page
  const TALL = 800; // px that leave a page room for the caption
  const HALF = 350; // px that let two figures with their captions share a page
  const SHEET = 665; // px of a table there
  const touched = matchMedia("(hover: none)").matches;
  const CONFIG = {
    responsive: true,
    displaylogo: false,
    typesetMath: false,
    plotlyServerURL: "",
    displayModeBar: touched ? false : "hover",
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
  };
  const root = document.documentElement;
  const looks = JSON.parse(document.getElementById("page-looks").textContent);
  const night = matchMedia("(prefers-color-scheme: dark)");
  const theme = () => root.dataset.theme ?? (night.matches ? "dark" : "light");
  const list = (value) => (Array.isArray(value) ? value : [value]);

  const figures = [...document.querySelectorAll(".plot")].map((box) => ({
    box,
    height: Number(box.dataset.height),
    ...JSON.parse(box.nextElementSibling.textContent),
    drawn: false,
  }));

  const faint = (colour, part) => {
    const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
    return `rgba(${r},${g},${b},${part})`;
  };

  // A trace in its colour; what it says itself about its looks stays.
  const dress = (given, look) => {
    const trace = structuredClone(given);
    const place = trace.meta?.colour;
    if (place === undefined || place === null) return trace;
    const at = (items, i) => items[i % items.length];
    const colours = list(place).map((i) => at(look.colours, i));
    const one = Array.isArray(place) ? colours : colours[0];
    const kind = trace.type ?? "scatter";
    trace.marker = { color: one, ...trace.marker };
    if (kind === "pie") trace.marker.colors ??= colours;
    if (trace.marker.pattern?.shape) {
      trace.marker.pattern = { bgcolor: faint(one, 0.22), solidity: 0.25, size: 7, ...trace.marker.pattern };
    }
    if (kind === "bar") trace.marker.line = { color: one, width: 1, ...trace.marker.line };
    if (Array.isArray(place)) return trace;
    if (kind.startsWith("scatter")) {
      trace.marker.symbol ??= at(look.symbols, place);
      const bare = trace.fill || trace.stackgroup || (trace.line?.width ?? 2) < 1;
      const dash = bare ? "solid" : at(look.dashes, place);
      trace.line = { color: one, dash, ...trace.line };
      for (const error of ["error_x", "error_y"]) {
        if (trace[error]) trace[error] = { color: one, thickness: 1.2, width: 3, ...trace[error] };
      }
      if (trace.stackgroup) trace.fillcolor ??= faint(one, 0.6);
      else if (trace.fill && trace.fill !== "none") trace.fillcolor ??= faint(one, 0.18);
    }
    if (kind === "box" || kind === "violin") {
      trace.line = { color: one, width: 1.5, ...trace.line };
      trace.fillcolor ??= faint(one, 0.25);
    }
    return trace;
  };

  const axisName = (letter, id) => `${letter}axis${(id ?? letter).slice(1)}`;
  const domainOf = (layout, name) => layout[name]?.domain ?? [0, 1];

  // Pairs of axes that share none, each with the place that it was drawn for.
  const panelsOf = (layout, traces) => {
    const pairs = new Map();
    for (const trace of traces) {
      const x = axisName("x", trace.xaxis);
      const y = axisName("y", trace.yaxis);
      pairs.set(`${x} ${y}`, { x, y });
    }
    return [...pairs.values()];
  };

  const placed = (layout, panels) => {
    const { rows, columns } = layout.grid ?? {};
    panels.forEach((panel, i) => {
      const gridded = columns && !layout[panel.x]?.domain;
      const column = i % columns;
      const row = Math.floor(i / columns);
      panel.across = gridded
        ? [column / columns, (column + 1) / columns]
        : domainOf(layout, panel.x);
      panel.up = gridded
        ? [1 - (row + 1) / rows, 1 - row / rows]
        : domainOf(layout, panel.y);
    });
    const order = (a, b) => b.up[1] - a.up[1] || a.across[0] - b.across[0];
    return [...panels].sort(order);
  };

  // Headings of panels are often placed on the whole figure: move them along.
  const move = (note, panels, before, after) => {
    if (note.xref !== "paper" || note.yref !== "paper") return;
    const near = (panel) =>
      note.x >= panel.across[0] - 0.02 && note.x <= panel.across[1] + 0.02 &&
      note.y >= panel.up[0] - 0.02;
    const panel = panels.filter(near).sort((a, b) => b.up[0] - a.up[0])[0];
    if (!panel) return;
    const [left, right] = panel.across;
    const [low, high] = panel.up;
    const [to0, to1] = panel.stacked;
    note.x = (note.x - left) / (right - left);
    note.y = note.y > high
      ? to1 + (note.y - high) * before / after
      : to0 + (note.y - low) / (high - low) * (to1 - to0);
  };

  const stack = (layout, panels, height) => {
    const tallest = Math.max(...panels.map((p) => p.up[1] - p.up[0])) * height * 0.85;
    const total = panels.length * (tallest + GAP) - GAP;
    delete layout.grid;
    panels.forEach((panel, i) => {
      const top = 1 - i * (tallest + GAP) / total;
      panel.stacked = [Math.max(0, top - tallest / total), top];
      layout[panel.x] = { ...layout[panel.x], domain: [0, 1], anchor: panel.y.replace("axis", "") };
      layout[panel.y] = { ...layout[panel.y], domain: panel.stacked, anchor: panel.x.replace("axis", "") };
    });
    for (const note of layout.annotations ?? []) move(note, panels, height, total);
    return total + GAP;
  };

  const pen = document.createElement("canvas").getContext("2d");
  const widthOf = (text, font) => {
    pen.font = `${font.size}px ${font.family}`;
    return pen.measureText(text.replace(/<[^>]*>/g, "")).width;
  };

  // Lines that Plotly will break the legend into: as many as the figure must grow.
  const linesOf = (widths, width) => {
    let lines = widths.length ? 1 : 0;
    let left = width;
    for (const entry of widths) {
      if (entry > left && left < width) {
        lines += 1;
        left = width;
      }
      left -= entry;
    }
    return lines;
  };

  const legendFor = (traces, look, width) => {
    const { font, legend } = look.template.layout;
    const sized = { ...font, ...legend.font };
    const named = traces.filter((t) => t.name && t.showlegend !== false);
    const widths = named.map((t) => widthOf(String(t.name), sized) + SIGN);
    const lines = linesOf(widths, width - 80);
    if (lines < 2 || width < PHONE) return { lines, legend: {} };
    // where there is room, the entries of several lines stand in columns
    const widest = Math.ceil(Math.max(...widths));
    const columns = linesOf(named.map(() => widest), width - 80);
    return { lines: columns, legend: { entrywidth: widest - SIGN + 6 } };
  };

  // What stands in a figure must fit into it: lines are cut, tags and signs kept whole.
  const cut = (line, most) => {
    const parts = line.match(/<[^>]*>|&[a-z]+;|./gu) ?? [];
    let left = most;
    const kept = parts.filter((part) => part[0] === "<" && part.length > 1 || left-- > 0);
    if (left < 0) kept.push("…");
    return kept.join("");
  };
  const fitted = (text, width) =>
    text.split("<br>").map((line) => cut(line, Math.floor(width / 6.8))).join("<br>");

  // Ticks of a logarithmic axis at 1, 2 and 5, written out; at 1 alone where it is short.
  const logarithmic = (axis, values, size, each) => {
    const known = values.filter((value) => value > 0);
    const decades = Math.log10(Math.max(...known) / Math.min(...known)) || 1;
    const dtick = decades * 3 * each < size ? "D2" : 1;
    return { dtick, tickformat: ",~r", ...axis };
  };
  // Axes without numbers are the frame of a picture; a grid would measure nothing.
  const framed = (axis) => ({ showgrid: false, mirror: true, ...axis });

  const finished = (layout, traces, width, height) => {
    const names = new Set(traces.flatMap((t) => [axisName("x", t.xaxis), axisName("y", t.yaxis)]));
    for (const name of names) {
      const letter = name[0];
      const axis = layout[name] ?? {};
      const [from, to] = domainOf(layout, name);
      const size = (to - from) * (letter === "x" ? width : height);
      const own = traces.filter((t) => axisName(letter, t[`${letter}axis`]) === name);
      const values = own.flatMap((t) => t[letter] ?? []);
      if (axis.type === "log") layout[name] = logarithmic(axis, values, size, letter === "x" ? 48 : 24);
      else if (axis.showticklabels === false) layout[name] = framed(axis);
      else if (width < PHONE && values.some((v) => isNaN(v) && isNaN(Date.parse(v)))) {
        layout[name] = { tickfont: { size: 10 }, ...axis };
      }
    }
  };

  const onPaper = (shape) => [shape.xref, shape.yref].includes("paper");
  const layoutFor = (figure, look, width) => {
    const layout = structuredClone(figure.layout);
    layout.template = look.template;
    layout.autosize = true;
    const panels = placed(layout, panelsOf(layout, figure.traces));
    const columns = new Set(panels.map((p) => p.across[0].toFixed(2))).size;
    const own = (key) => new Set(panels.map((p) => p[key])).size === panels.length;
    let height = figure.height;
    let least = 0;
    if (columns > 1 && width < columns * PANEL) {
      if (own("x") && own("y") && !(layout.shapes ?? []).some(onPaper)) height = stack(layout, panels, height);
      else least = columns * PANEL;
    }
    finished(layout, figure.traces, width, height);
    if (touched) layout.dragmode = false; // a finger that scrolls must not zoom
    const notes = layout.annotations ?? [];
    for (const note of notes.filter((n) => n.text)) note.text = fitted(note.text, width - 40);
    // Plotly makes room for axes and legends, not for headings above the panels
    const heading = notes.some((n) => String(n.yref).match(/paper|domain/) && n.y >= 1);
    layout.margin = { ...(heading ? { t: 30 } : {}), ...layout.margin };
    const { lines, legend } = legendFor(figure.traces, look, width);
    layout.legend = { ...legend, ...layout.legend };
    layout.height = height + (layout.showlegend === false ? 0 : LINE * Math.max(0, lines - 1));
    return { layout, least };
  };

  const onSheet = (figure, height) =>
    Math.min(figure.height > TALL / 1.5 ? TALL : HALF + height - figure.height, height);

  const draw = (figure, printed = false) => {
    const look = looks[printed ? "light" : theme()];
    const width = printed ? PAPER : figure.box.parentElement.clientWidth;
    const { layout, least } = layoutFor(figure, look, width);
    if (printed) Object.assign(layout, { width: PAPER, height: onSheet(figure, layout.height) });
    figure.box.style.minWidth = least && !printed ? `${least}px` : "";
    figure.box.style.height = `${layout.height}px`;
    const traces = figure.traces.map((trace) => dress(trace, look));
    const image = { format: "svg", filename: figure.box.id.replace("plot-", "") };
    if (!figure.drawn) figure.box.replaceChildren();
    figure.drawn = true;
    figure.box.dataset.width = width;
    Plotly.react(figure.box, traces, layout, { ...CONFIG, toImageButtonOptions: image });
    // tools of the mouse: an image has nothing inside to step through by key
    for (const tool of figure.box.querySelectorAll(".modebar-btn")) tool.tabIndex = -1;
  };

  // A figure that Plotly cannot draw says so, and the others are drawn.
  const attempt = (figure) => {
    try {
      draw(figure);
    } catch {
      const told = document.createElement("p");
      told.className = "nothing";
      told.textContent = `This figure could not be drawn; it says: ${figure.box.ariaLabel}`;
      figure.box.replaceChildren(told);
      figure.box.style.height = "auto";
      Object.assign(figure, { drawn: true, broken: true });
    }
  };

  // One figure after another, so that the page can be read meanwhile.
  const drawNext = () => {
    const next = figures.find((figure) => !figure.drawn);
    if (!next) {
      root.dataset.drawn = "yes";
      return;
    }
    attempt(next);
    setTimeout(drawNext);
  };
  const shown = () => figures.filter((figure) => figure.drawn && !figure.broken);
  const drawAgain = () => shown().forEach((figure) => draw(figure));

  const button = document.getElementById("page-switch");
  const show = () => {
    button.setAttribute("aria-pressed", String(theme() === "dark"));
    drawAgain();
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = theme() === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("ustory-theme", root.dataset.theme);
    } catch {
      // not remembered, but switched
    }
    show();
  });
  night.addEventListener("change", show);

  let waiting = 0;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      for (const figure of shown()) {
        if (figure.box.dataset.width !== String(figure.box.parentElement.clientWidth)) draw(figure);
      }
    }, 150);
  });
  // One table that is too wide would make browsers print everything smaller.
  const fitTables = () => {
    for (const table of document.querySelectorAll("table")) {
      const size = parseFloat(getComputedStyle(table).fontSize);
      const points = table.classList.contains("many") ? 6.5 : 8;
      const width = table.offsetWidth * points * (96 / 72) / size;
      table.style.setProperty("--fit", Math.min(1, SHEET / width));
    }
  };
  addEventListener("beforeprint", () => {
    fitTables();
    for (const figure of figures) {
      if (!figure.broken) draw(figure, true);
    }
  });
  addEventListener("afterprint", drawAgain);

  button.setAttribute("aria-pressed", String(theme() === "dark"));
  drawNext();
})();
