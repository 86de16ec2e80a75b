// What is shown only once is copied with one press, and saved as a file: keys, links and recovery codes.
import { toast } from "./app.js";

const sourceOf = (button) => button.closest("section, .notice, form")?.querySelector("[data-key]") ?? document.querySelector("[data-key]");
const textOf = (source) => source.dataset.key || (source.value ?? source.innerText);

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const source = sourceOf(button);
    try {
      await navigator.clipboard.writeText(textOf(source));
    } catch { // no clipboard without a secure context
      if (source.select) source.select();
      else getSelection().selectAllChildren(source);
      document.execCommand("copy");
    }
    toast(button.dataset.textCopied, "good");
  });
}

for (const button of document.querySelectorAll("[data-save]")) {
  button.addEventListener("click", () => {
    const href = URL.createObjectURL(new Blob([`${textOf(sourceOf(button))}\n`], { type: "text/plain" }));
    Object.assign(document.createElement("a"), { href, download: button.dataset.save }).click();
    setTimeout(() => URL.revokeObjectURL(href));
  });
}
