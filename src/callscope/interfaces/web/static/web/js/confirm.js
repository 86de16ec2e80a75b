// Buttons with data-confirm ask in the page's own dialog before their form goes out.
const dialog = document.getElementById("confirm");
let asked = null;

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-confirm]");
  if (!button || !dialog || asked === button) return;
  event.preventDefault();
  asked = button;
  dialog.querySelector("[data-confirm-text]").textContent = button.dataset.confirm;
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
