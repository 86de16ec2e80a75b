// A new key is copied with one press.
import { toast } from "./app.js";

const button = document.querySelector("[data-copy]");
button?.addEventListener("click", async () => {
  const field = document.querySelector("[data-key]");
  try {
    await navigator.clipboard.writeText(field.value);
  } catch { // no clipboard without a secure context
    field.select();
    document.execCommand("copy");
  }
  toast(button.dataset.textCopied, "good");
});
