// A replay of the settings in the editor on past calls: what it costs first, then the replay itself, on a page of its own.

/**
 * `send` asks the server, `tell` shows what is wrong in the fields and at a button, `leave` goes to the page of the replay.
 * Return a function that hides the cost of a draft that was changed since.
 */
export function offerReplay({ send, tell, leave }) {
  const form = document.querySelector("[data-replay-form]");
  if (!form) return () => {};
  const stated = document.querySelector("[data-replay-estimate]");
  let edits = 0;

  async function request(button, more) {
    if (button.ariaDisabled) return;
    button.ariaDisabled = "true";
    const number = edits;
    const found = await send({ sample: Number(document.getElementById("r-sample").value), ...more });
    button.ariaDisabled = null;
    if (number !== edits) return; // the draft was changed meanwhile
    stated.hidden = !found?.body.estimate;
    if (found) tell(found.body.errors ?? [], form.querySelector("button"));
    if (found?.body.estimate) stated.querySelector("[data-replay-cost]").innerHTML = found.body.estimate; // of our own templates
    if (found?.body.estimate) stated.querySelector("[data-replay-start]").hidden = !found.body.has_work; // nothing to compare
    if (found?.body.estimate) stated.scrollIntoView({ block: "nearest" });
    if (!found?.body.url) return;
    history.replaceState(null, "", `?draft=${found.body.replay}`); // who goes back finds the draft again
    leave(found.body.url);
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    request(form.querySelector("button"), { estimate_only: true });
  });
  stated.querySelector("[data-replay-start]").addEventListener("click", (event) => request(event.currentTarget, {}));
  const forget = () => {
    edits += 1;
    stated.hidden = true;
  };
  form.addEventListener("input", forget);
  return forget;
}
