// The button that turns the server's picture into one that can be moved. Nothing of
// what that needs, the script of Plotly and the data, is loaded before.
function loaded(address) {
  if (window.Plotly) return Promise.resolve();
  return new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = done;
    script.onerror = () => {
      script.remove(); // so that it can be tried again
      failed(new Error(address));
    };
    document.head.append(script);
  });
}

async function fetched(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

// `start` draws: it is called with the data once everything is there.
export function onExplore(start) {
  const button = document.getElementById("explore");
  if (!button) return;
  const about = document.getElementById("explore-about");
  const weight = document.getElementById("explore-weight");
  let busy = false;
  button.parentElement.hidden = false;
  button.addEventListener("click", async () => {
    if (busy) return;
    busy = true;
    weight.textContent = "Loading…";
    try {
      const [data] = await Promise.all([fetched(button.dataset.from), loaded(button.dataset.plotly)]);
      await start(data);
      weight.remove();
      about.tabIndex = -1;
      if (document.activeElement === button) about.focus({ preventScroll: true });
      button.remove();
    } catch {
      weight.textContent = "That did not work, and the picture stays as it is. Try again.";
      busy = false;
    }
  });
}
