// Suggestions while somebody types into the search: the browser's own list shows them.
const PAUSE = 150; // a fast typist asks once
const LEAST = 2;

let asked = "";
let waiting = 0;

async function suggest(input, list) {
  const typed = input.value;
  if (typed === asked || typed.trim().length < LEAST) return;
  asked = typed;
  let answer;
  try {
    answer = await fetch(`/api/suggest?${new URLSearchParams({ q: typed })}`);
    if (!answer.ok) return;
    answer = await answer.json();
  } catch {
    return; // a search works without
  }
  if (input.value !== typed) return;
  list.replaceChildren(
    ...answer.suggestions.map((each) => {
      const option = document.createElement("option");
      option.value = each.text;
      return option;
    }),
  );
}

export function startSearch() {
  const input = document.getElementById("search");
  const list = document.getElementById("suggestions");
  if (!input || !list) return;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => suggest(input, list), PAUSE);
  });
}
