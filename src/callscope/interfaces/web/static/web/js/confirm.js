// Buttons with data-confirm ask in the page's own dialog before their form goes out. What goes on is called by what they
// say, and is red unless they are marked data-calm.
const dialog = document.getElementById("confirm");
let asked = null;

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-confirm]");
  if (!button || !dialog || asked === button) return;
  event.preventDefault();
  if (!button.formNoValidate && !button.form.noValidate && !button.form.reportValidity()) return; // leads to what is missing
  asked = button;
  const yes = dialog.querySelector("[value=yes]");
  const picked = button.form.querySelector("[data-picked]")?.textContent;
  yes.textContent = button.innerText.trim() || button.ariaLabel;
  yes.className = `button ${"calm" in button.dataset ? "primary" : "danger"}`;
  dialog.querySelector("[data-confirm-text]").textContent = picked ? `${picked}. ${button.dataset.confirm}` : button.dataset.confirm;
  dialog.returnValue = "";
  dialog.showModal();
});

dialog?.addEventListener("close", () => {
  const button = asked;
  if (dialog.returnValue === "yes" && button) {
    const field = button.form.elements.confirmed ?? document.createElement("input");
    Object.assign(field, { type: "hidden", name: "confirmed", value: "yes" });
    button.form.append(field);
    button.form.requestSubmit(button);
    field.remove(); // another button of the form asks again
  }
  asked = null;
  button?.focus();
});
