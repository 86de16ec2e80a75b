// What is wrong with a field, next to it.

/** Tell whether an empty id waits for the name that it is made from: the name is what is missing. */
export function isIdOfNameless(field) {
  const item = field.matches("[data-field=id]") && field.closest("[data-item][data-fresh]");
  return Boolean(item) && !field.querySelector("input").value && !item.querySelector("[data-field=name] input, [data-field=text] input").value.trim();
}

/** Tell whether nobody has filled in the new field, or part of the document, yet: that is not wrong before it is saved. */
export function isUntouched(element) {
  const item = element.closest("[data-item]");
  return Boolean(item) && (element.matches("[data-field]") ? element.matches("[data-untouched]") : item.querySelector("[data-untouched]") !== null);
}

export function touchAll(editor) {
  for (const field of editor.querySelectorAll("[data-untouched]")) delete field.dataset.untouched;
}

/** Return a line that says what is wrong, with the sign of an error before it. */
export function errorLine(words) {
  const line = Object.assign(document.createElement("p"), { className: "error" });
  line.append(document.querySelector("template[data-error-sign]").content.cloneNode(true), Object.assign(document.createElement("span"), { textContent: words }));
  return line;
}

/** Write words below a field, or below the head of a list or part; return what the cursor goes to. */
export function place(element, words, n) {
  const sentence = words.charAt(0).toLocaleUpperCase(document.documentElement.lang) + words.slice(1); // below a field nothing leads up to it
  const message = Object.assign(errorLine(sentence), { id: `field-error-${n}` });
  message.dataset.fieldError = "";
  const isField = element.matches("[data-field]");
  const input = isField ? element.querySelector("input, select, textarea") : null;
  input?.setAttribute("aria-invalid", "true");
  if (input) {
    const hint = element.querySelector(":scope > .hint")?.id;
    input.setAttribute("aria-describedby", [hint, message.id].filter(Boolean).join(" "));
  }
  const items = element.querySelector(":scope > [data-items]");
  if (isField) element.append(message);
  else if (items) items.after(message);
  else (element.querySelector(":scope > .section-head, :scope > h2, :scope > summary") ?? element.lastElementChild ?? element).after(message);
  for (let around = element.closest("details"); around; around = around.parentElement.closest("details")) markFold(around);
  return input ?? message;
}

/** Mark the head of a fold with something wrong in it, which may be closed. */
function markFold(fold) {
  if (fold.classList.contains("has-wrong")) return;
  fold.classList.add("has-wrong");
  const head = fold.querySelector(":scope > summary");
  (head.querySelector(".criterion-title") ?? head).append(" ", document.querySelector("template[data-fold-mark]").content.cloneNode(true));
}

/** Take back everything that is said to be wrong on the page. */
export function clear(page) {
  for (const old of page.querySelectorAll("[data-field-error], .has-wrong > summary [data-to-fix]")) old.remove();
  for (const old of page.querySelectorAll("[data-editor] [aria-invalid]")) old.removeAttribute("aria-invalid");
  for (const old of page.querySelectorAll("[data-editor] .has-wrong")) old.classList.remove("has-wrong");
}
