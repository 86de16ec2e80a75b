// Buttons with data-confirm ask in the page's own dialog before their form goes out. Its head is their question, or what
// they say as one, in which {choice} is what the select of the form shows; data-ask-one and data-ask-many ask with the number of selected rows, whose names follow. What goes on is called by what they say, and is red unless they are marked data-calm.
const UP_TO_QUESTION = /^([^]*\?)(?:\s+([^]*))?$/;
const MOST_NAMES = 5; // of selected rows
const dialog = document.getElementById("confirm");
let asked = null;
let owner = null; // its form: what is loaded again may take the button away meanwhile

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-confirm]");
  if (!button || !dialog || asked === button) return;
  event.preventDefault();
  if (!button.formNoValidate && !button.form.noValidate && !button.form.reportValidity()) return; // leads to what is missing
  [asked, owner] = [button, button.form];
  const rows = button.dataset.askMany ? [...document.querySelectorAll("[data-rows] tbody tr:has([type=checkbox]:checked)")] : [];
  const names = rows.map((each) => each.querySelector("a.name")?.textContent.trim()).filter(Boolean);
  const picked = rows.length ? "" : button.form.querySelector("[data-picked]")?.textContent;
  const act = button.innerText.trim() || button.ariaLabel;
  const said = button.dataset.confirm.replace("{choice}", () => button.form.querySelector("select").selectedOptions[0].textContent.trim());
  const [, question, rest] = UP_TO_QUESTION.exec(said) ?? ["", "", said];
  const text = [picked && `${picked}.`, rest].filter(Boolean).join(" ");
  open(rows.length ? askOf(rows.length, button.dataset) : question, text, act, { isCalm: "calm" in button.dataset, names });
});

function open(question, text, act, { isCalm = false, names = [] } = {}) {
  const title = dialog.querySelector("[data-confirm-title]");
  const yes = dialog.querySelector("[value=yes]");
  title.textContent = question || title.dataset.confirmTitle.replace("{act}", () => act);
  yes.textContent = act;
  yes.className = `button ${isCalm ? "primary" : "danger"}`;
  dialog.querySelector("[data-confirm-text]").textContent = text;
  const list = dialog.querySelector("[data-confirm-names]");
  list.hidden = !names.length;
  list.textContent = names.slice(0, MOST_NAMES).join(", ") + (names.length > MOST_NAMES ? ", …" : "");
  dialog.returnValue = "";
  dialog.showModal();
}

/** Ask before something that a module does; resolves to whether the answer was yes. */
export function isConfirmed(question, text, act) {
  open(question, text, act);
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true }));
}

function askOf(count, { askOne, askMany }) {
  const isOne = new Intl.PluralRules(document.documentElement.lang).select(count) === "one";
  return (isOne ? askOne : askMany).replace("{count}", count);
}

dialog?.addEventListener("close", () => {
  const button = asked;
  if (dialog.returnValue === "yes" && button) {
    const field = owner.elements.confirmed ?? document.createElement("input");
    Object.assign(field, { type: "hidden", name: "confirmed", value: "yes" });
    owner.append(field);
    owner.requestSubmit(button.isConnected ? button : undefined);
    field.remove(); // another button of the form asks again
  }
  [asked, owner] = [null, null];
  button?.focus();
});
