// A form marked data-missing="sentence" says it next to each field that it still needs, or what the field itself has marked so, in
// place of the browser's bubble, which stands below the bar of the page or outside a table that scrolls, and leads to the first of them.
const FIELD = ":is(select, input, textarea)";

document.addEventListener("invalid", (event) => {
  const field = event.target;
  const form = field.form;
  if (!form?.dataset.missing) return;
  event.preventDefault();
  say(field, field.dataset.missing ?? form.dataset.missing);
  if (field !== form.querySelector(`${FIELD}:invalid`)) return;
  for (let around = field.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
  field.focus({ preventScroll: true });
  field.scrollIntoView({ block: "center" });
}, true);

document.addEventListener("change", (event) => {
  const field = event.target;
  if (!field.form?.dataset.missing || !field.validity.valid) return;
  field.removeAttribute("aria-invalid");
  document.getElementById(messageOf(field))?.remove();
  field.removeAttribute("aria-describedby");
});

const messageOf = (field) => field.getAttribute("aria-describedby") ?? `${field.id || field.name}-missing`;

function say(field, words) {
  field.setAttribute("aria-invalid", "true");
  if (document.getElementById(messageOf(field))) return;
  const message = Object.assign(document.createElement("p"), { className: "error", id: messageOf(field), textContent: words });
  field.setAttribute("aria-describedby", message.id);
  field.after(message);
}
