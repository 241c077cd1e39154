// Before anything is painted, so that no page flashes white in the dark.
(() => {
  "use strict";
  try {
    const saved = localStorage.getItem("ustory-theme");
    if (saved === "dark" || saved === "light") {
      document.documentElement.dataset.theme = saved;
    }
  } catch {
    // a browser may keep nothing for a file: then its own setting decides
  }
})();
