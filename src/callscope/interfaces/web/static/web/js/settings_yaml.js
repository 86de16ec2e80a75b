// All settings of a project as one text: copying, and a word of what is not saved. The form saves by itself.
import { toast } from "./app.js";
import "./leaving.js";

const form = document.querySelector("[data-whole]");
const yaml = form.querySelector("textarea");
const state = form.querySelector("[data-save-state]");
const save = form.querySelector("[data-save-button]");
const copy = form.querySelector("[data-copy]");
const isChanged = () => yaml.value !== yaml.defaultValue;

yaml.addEventListener("input", () => {
  state.textContent = isChanged() ? state.dataset.textUnsaved : "";
  state.parentElement.classList.toggle("is-dirty", isChanged());
  save.classList.toggle("primary", isChanged() || "unsaved" in form.dataset);
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
