// Changes need an API key: it is asked for once, and kept in this tab alone.
const NAME = "ustory-key";

function kept() {
  try {
    return sessionStorage.getItem(NAME);
  } catch {
    return null; // storage may be forbidden: then it is asked for each time
  }
}

function keep(key) {
  try {
    if (key) sessionStorage.setItem(NAME, key);
    else sessionStorage.removeItem(NAME);
  } catch {
    // see above
  }
}

function ask(words) {
  const dialog = document.getElementById("key-dialog");
  const input = document.getElementById("key-input");
  if (words) document.getElementById("key-about").textContent = words;
  input.value = "";
  dialog.returnValue = "";
  dialog.showModal();
  input.focus();
  return new Promise((done) => {
    dialog.addEventListener(
      "close",
      () => done(dialog.returnValue === "use" ? input.value.trim() : ""),
      { once: true },
    );
  });
}

// The words of an error answer.
async function wrong(answer) {
  try {
    const { error } = await answer.json();
    return error.message;
  } catch {
    return `the server answered ${answer.status}`;
  }
}

// Sends a change. Returns the answer as JSON (null if it has none), or undefined if
// no key was given; throws an Error whose message can be shown.
export async function send(method, path, body, type = "application/json") {
  let key = kept() || (await ask(""));
  while (key) {
    let answer;
    try {
      answer = await fetch(path, {
        method,
        headers: { Authorization: `Bearer ${key}`, ...(body === undefined ? {} : { "Content-Type": type }) },
        body,
      });
    } catch {
      throw new Error("the server cannot be reached; try again");
    }
    if (answer.status === 401) {
      keep(null);
      key = await ask("The server does not know this key. Try another one.");
      continue;
    }
    keep(key);
    if (!answer.ok) throw new Error(await wrong(answer));
    return answer.status === 204 ? null : answer.json();
  }
  return undefined;
}
