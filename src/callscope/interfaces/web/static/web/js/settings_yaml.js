// All settings of a project as one text: copying, and a warning before changes are left behind. The form saves by itself.
import { toast } from "./app.js";

const form = document.querySelector("[data-whole]");
const yaml = form.querySelector("textarea");
const state = form.querySelector("[data-save-state]");
const copy = form.querySelector("[data-copy]");
const isChanged = () => yaml.value !== yaml.defaultValue;
let isSent = false;

yaml.addEventListener("input", () => {
  state.textContent = isChanged() ? state.dataset.textUnsaved : "";
  state.parentElement.classList.toggle("is-dirty", isChanged());
});
form.addEventListener("submit", () => { isSent = true; });
window.addEventListener("pageshow", () => { isSent = false; });
window.addEventListener("beforeunload", (event) => {
  if (isChanged() && !isSent) event.preventDefault();
});
copy.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(yaml.value);
  } catch { // no clipboard without a secure context
    yaml.select();
    document.execCommand("copy");
  }
  toast(copy.dataset.textCopied, "good");
});
