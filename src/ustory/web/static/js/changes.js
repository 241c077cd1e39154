// Forms and buttons that change something through the API, and what came of it.
import { send } from "./key.js";

// Says something above the list; `code` is shown as it is, to be copied.
export function say(words, code = null) {
  const place = document.getElementById("said");
  place.textContent = words;
  if (code !== null) {
    const shown = document.createElement("code");
    shown.textContent = code;
    place.append(" ", shown);
  }
  place.hidden = false;
  place.scrollIntoView({ block: "nearest" });
}

// `change` sends a form and returns what to do then; its errors are told in the form.
export function onSubmit(form, change) {
  const fault = form.querySelector(".fault-words");
  const button = form.querySelector("[type=submit]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    fault.hidden = true;
    button.disabled = true;
    try {
      await change(new FormData(form));
    } catch (error) {
      fault.textContent = `That did not work: ${error.message}`;
      fault.hidden = false;
    } finally {
      button.disabled = false;
    }
  });
}

// Buttons with data-remove: asked once more, then the thing at that address is gone.
export function onRemove(done) {
  for (const button of document.querySelectorAll("[data-remove]")) {
    button.hidden = false;
    if (button.dataset.bound) continue;
    button.dataset.bound = "1";
    button.addEventListener("click", async () => {
      if (!button.dataset.sure) {
        button.dataset.sure = "1";
        button.firstChild.textContent = "Remove for good?";
        setTimeout(() => {
          delete button.dataset.sure;
          button.firstChild.textContent = "Remove";
        }, 5000);
        return;
      }
      try {
        const gone = await send("DELETE", button.dataset.remove);
        if (gone !== undefined) await done(button.dataset.what);
      } catch (error) {
        say(`That did not work: ${error.message}`);
      }
    });
  }
}
