// The lists of filters close when somebody looks elsewhere; without this they still open.
const OPEN = "details.facet[open]";

document.addEventListener("click", (event) => {
  for (const facet of document.querySelectorAll(OPEN)) {
    if (!facet.contains(event.target)) facet.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const facet of document.querySelectorAll(OPEN)) {
    facet.open = false;
    if (facet.contains(document.activeElement)) facet.querySelector("summary").focus();
  }
});
