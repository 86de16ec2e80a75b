// Every page: theme without a reload, menus that close, toasts, definitions, and what to say when htmx fails.
import "./tip.js";

const root = document.documentElement;

document.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-theme-form]");
  const theme = event.submitter?.value;
  if (!form || !theme) return;
  event.preventDefault();
  root.dataset.theme = theme;
  for (const button of form.querySelectorAll("button")) button.ariaPressed = String(button === event.submitter);
  const fields = new FormData(form);
  fields.set("theme", theme);
  fetch(form.action, { method: "POST", body: fields, redirect: "manual" });
});

document.addEventListener("click", (event) => {
  event.target.closest("[data-dismiss]")?.closest(".toast")?.remove();
  for (const menu of document.querySelectorAll("[data-menu][open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && document.querySelector("[data-menu][open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

/** Show a sentence at the foot of the page; level is "", "good" or "bad". */
export function toast(text, level = "") {
  const copy = document.getElementById("toast-template").content.cloneNode(true);
  const box = copy.querySelector(".toast");
  box.querySelector("p").textContent = text;
  if (level) box.classList.add(level);
  document.getElementById("toasts").append(copy);
}

document.addEventListener("htmx:sendError", () => toast(document.body.dataset.textFailed, "bad"));
document.addEventListener("htmx:responseError", (event) => {
  if (!event.detail.xhr.getResponseHeader("HX-Redirect")) toast(document.body.dataset.textRefused, "bad");
});
// A view sends HX-Trigger: {"toast": {"text": …, "level": …}} to say something beside its fragment.
document.addEventListener("toast", (event) => toast(event.detail.text, event.detail.level));

document.addEventListener("change", (event) => event.target.closest("[data-submit-on-change]")?.requestSubmit());

// Filters: a form sends only what is filled in, so that addresses stay short.
document.addEventListener("formdata", (event) => {
  if (!event.target.matches("[data-short-address]")) return;
  for (const [name, value] of [...event.formData]) if (value === "") event.formData.delete(name);
});
document.addEventListener("htmx:configRequest", (event) => {
  if (!event.detail.elt.closest("[data-short-address]")) return;
  for (const [name, value] of [...event.detail.formData]) if (value === "") event.detail.formData.delete(name);
});
